//go:build js && wasm

// The engine of the playground as a WebAssembly module: it registers the function
// patchlab(request: Uint8Array): Uint8Array, which answers one request of
// internal/playground. Nothing else is here, so that all else is tested in Go.
package main

import (
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/playground"
)

func main() {
	// A page has memory to spare: collecting garbage less often makes a step a
	// third faster.
	debug.SetGCPercent(400)
	engine := playground.New()
	array := js.Global().Get("Uint8Array")
	handle := js.FuncOf(func(_ js.Value, args []js.Value) any {
		var response []byte
		if len(args) != 1 || !args[0].InstanceOf(array) {
			response = failure("patchlab takes one Uint8Array")
		} else {
			request := make([]byte, args[0].Length())
			js.CopyBytesToGo(request, args[0])
			response = answer(&engine, request)
		}
		out := array.New(len(response))
		js.CopyBytesToJS(out, response)
		return out
	})
	js.Global().Set("patchlab", handle)
	if ready := js.Global().Get("patchlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {} // callbacks need the program to go on
}

// answer turns a panic into an error: a fault in the engine must not end the
// page. What the engine remembers is not to be trusted after it.
func answer(engine **playground.Engine, request []byte) (response []byte) {
	defer func() {
		if fault := recover(); fault != nil {
			*engine = playground.New()
			response = failure("this is a fault in patchlab, not in what you typed: " + fmt.Sprint(fault))
		}
	}()
	return (*engine).Handle(request)
}

func failure(message string) []byte {
	return append(document.AppendQuoted([]byte(`{"error":{"line":0,"column":0,"message":`), message), "}}"...)
}
