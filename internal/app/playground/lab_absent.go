//go:build js && !lab

package playground

// The page asks no Lab, and its engine does without one: package patchlab weighs
// 70 KB there.

type keptLab struct{}

func labCalls() map[string]call { return nil }
