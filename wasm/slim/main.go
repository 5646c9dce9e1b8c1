// Command slim makes a Go WebAssembly module smaller to send.
//
//	slim engine.wasm
//
// It does three things to the memory that the module begins with, which together
// take a fifth off the compressed module:
//
//   - it takes away what only tracebacks need: the names of functions, files and
//     lines, and how arguments are printed. A panic keeps its message, which is all
//     that the page shows of one;
//   - it takes away what follows from the rest, most of the table by which the
//     runtime finds a function, and adds a function that puts it back when the
//     module is instantiated, in a millisecond;
//   - it joins the data segments. Go's linker begins a new one at every few zeros,
//     100,000 in all, which saves bytes before compression and costs more after it,
//     as tables lose their regular form.
//
// The tables are those of Go 1.20 to 1.26 (runtime/symtab.go, magic 0xfffffff1); a
// module with others is refused.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: slim MODULE.wasm")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "slim: "+err.Error())
		os.Exit(1)
	}
}

func run(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out, err := slim(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(name, out, 0o666)
}

func slim(data []byte) ([]byte, error) {
	m, err := parse(data)
	if err != nil {
		return nil, err
	}
	t, err := findTable(m.image)
	if err != nil {
		return nil, err
	}
	t.forgetPlaces()
	t.shareNames()
	if err := t.packTables(); err != nil {
		return nil, err
	}
	if err := m.moveToStart(t); err != nil {
		return nil, err
	}
	return m.encode(), nil
}
