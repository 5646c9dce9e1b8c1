//go:build js && wasm

// The playground's engine as a WebAssembly module.
package main

import (
	"github.com/patchlab-dev/patchlab/internal/app/playground"
	"github.com/patchlab-dev/patchlab/internal/app/playground/module"
)

func main() { module.Run(playground.New) }
