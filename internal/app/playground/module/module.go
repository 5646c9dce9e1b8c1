//go:build js && wasm

// Package module runs the playground's engine as a WebAssembly module. It registers the
// function patchlab(request: Uint8Array): Uint8Array, which handles one request of
// internal/app/playground. It contains no other logic, because the code outside this
// package can be tested in Go. Built with the tag catalogfile, it reads the catalog of
// the built-in kinds from the global patchlabCatalog.
package module

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/playground"
	"github.com/patchlab-dev/patchlab/internal/engine/builtin"
)

// Run answers requests with an engine that start returns, as long as the page exists.
func Run(start func() *playground.Engine) {
	debug.SetGCPercent(-1) // garbage is collected between responses, see collect
	used := collect()
	array := js.Global().Get("Uint8Array")
	readCatalog(array)
	engine := start()
	handle := js.FuncOf(func(_ js.Value, args []js.Value) any {
		var response []byte
		if len(args) != 1 || !args[0].InstanceOf(array) {
			response = failure("patchlab takes one Uint8Array")
		} else {
			request := make([]byte, args[0].Length())
			js.CopyBytesToGo(request, args[0])
			response = answer(&engine, start, request)
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
	select {} // keeps the program running for callbacks
}

// readCatalog copies the catalog of the built-in kinds, which the page loads
// separately, from the global patchlabCatalog.
func readCatalog(array js.Value) {
	given := js.Global().Get("patchlabCatalog")
	if !given.InstanceOf(array) {
		return
	}
	catalog := make([]byte, given.Length())
	js.CopyBytesToGo(catalog, given)
	builtin.Catalog = string(catalog)
}

// garbage is the amount of new allocations after which the heap is collected between
// responses.
const garbage = 16 << 20

// reserve is added to four times the memory in use to get the limit at which the heap
// is collected during a response.
const reserve = 128 << 20

// collect collects garbage and returns the number of bytes in use. A collection takes
// longer than a step, so it runs while the page is idle.
func collect() uint64 {
	runtime.GC()
	used := allocated()
	debug.SetMemoryLimit(int64(4*used + reserve))
	return used
}

// allocated returns the size of the heap in bytes, including garbage.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// answer handles a request and converts a panic to an error response, so that a bug in
// the engine does not end the page. After a panic it replaces the engine, whose state
// may be inconsistent.
func answer(engine **playground.Engine, start func() *playground.Engine, request []byte) (response []byte) {
	defer func() {
		if fault := recover(); fault != nil {
			debug.PrintStack() // printed to the browser's console
			*engine = start()
			response = failure("this is a fault in patchlab, not in what you typed: " + fmt.Sprint(fault))
		}
	}()
	return (*engine).Handle(request)
}

func failure(message string) []byte {
	return append(document.AppendQuoted([]byte(`{"error":{"line":0,"column":0,"message":`), message), "}}"...)
}
