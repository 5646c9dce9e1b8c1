// Command slim blanks what a page has no use for out of a Go WebAssembly module:
// the tables of source lines and files, by which tracebacks name places. They are
// a seventh of the compressed module. Functions keep their names.
//
//	slim engine.wasm
//
// It changes bytes to zero and nothing else, so that the module stays what the
// linker laid out. The tables are those of Go 1.20 to 1.26 (runtime/symtab.go,
// magic 0xfffffff1); a module with others is refused.
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
	module, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	segments, err := dataSegments(module)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m := memory{segments}
	blanked, err := blankLines(m)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Printf("slim: %d KB of line tables are blank now\n", blanked>>10)
	return os.WriteFile(name, module, 0o666)
}
