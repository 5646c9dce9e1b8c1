//go:build js && wasm

// The playground's engine as a WebAssembly module that evaluates the CEL rules of custom
// resources too.
package main

import (
	"github.com/patchlab-dev/patchlab/admission/rules"
	"github.com/patchlab-dev/patchlab/internal/app/playground"
	"github.com/patchlab-dev/patchlab/internal/app/playground/module"
)

func main() {
	module.Run(func() *playground.Engine { return playground.NewWithRules(rules.New()) })
}
