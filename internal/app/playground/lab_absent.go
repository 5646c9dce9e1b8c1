//go:build js && !lab

package playground

// The page does not use a Lab: package patchlab would add 70 KB to its engine.

type keptLab struct{}

func labCalls() map[string]call { return nil }
