//go:build js && wasm

// The engine of the playground as a WebAssembly module: it registers the function
// patchlab(request: Uint8Array): Uint8Array, which answers one request of
// internal/app/playground. Nothing else is here, so that all else is tested in Go. Built
// with the tag catalogfile it reads the catalog of the built-in kinds from the global
// patchlabCatalog.
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/playground"
	"github.com/patchlab-dev/patchlab/internal/engine/builtin"
)

func main() {
	debug.SetGCPercent(-1) // collected is between answers, see collect
	used := collect()
	array := js.Global().Get("Uint8Array")
	readCatalog(array)
	engine := playground.New()
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
	js.Global().Set("patchlabIdle", js.FuncOf(func(js.Value, []js.Value) any {
		if allocated() > used+garbage {
			used = collect()
		}
		return nil
	}))
	if ready := js.Global().Get("patchlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {} // callbacks need the program to go on
}

// readCatalog takes over the catalog of the built-in kinds, which is loaded beside the
// module, from the global patchlabCatalog.
func readCatalog(array js.Value) {
	given := js.Global().Get("patchlabCatalog")
	if !given.InstanceOf(array) {
		return
	}
	catalog := make([]byte, given.Length())
	js.CopyBytesToGo(catalog, given)
	builtin.Catalog = string(catalog)
}

// garbage is how much may gather before it is collected between answers.
const garbage = 16 << 20

// reserve is how much may gather beyond the fourfold of what is in use before it
// is collected in the midst of an answer.
const reserve = 128 << 20

// collect frees what is not in use. That takes longer than a step, so it is done
// when the page asks for nothing. It returns how many bytes are in use.
func collect() uint64 {
	runtime.GC()
	used := allocated()
	debug.SetMemoryLimit(int64(4*used + reserve))
	return used
}

// allocated is the size of what is in use or was, in bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// answer turns a panic into an error: a fault in the engine must not end the
// page. What the engine remembers is not to be trusted after it.
func answer(engine **playground.Engine, request []byte) (response []byte) {
	defer func() {
		if fault := recover(); fault != nil {
			debug.PrintStack() // to the browser's console
			*engine = playground.New()
			response = failure("this is a fault in patchlab, not in what you typed: " + fmt.Sprint(fault))
		}
	}()
	return (*engine).Handle(request)
}

func failure(message string) []byte {
	return append(document.AppendQuoted([]byte(`{"error":{"line":0,"column":0,"message":`), message), "}}"...)
}
