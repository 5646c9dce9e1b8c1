package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// tableMagic begins the header of the table in which Go's runtime finds functions by
// address (internal/abi.Go120PCLnTabMagic), for a target with instructions of one byte
// and pointers of eight.
var tableMagic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// errNoTable says that the module has no such table: it was not made by the version of
// Go that this command knows.
var errNoTable = errors.New("the module has no table of Go's functions with the header of Go 1.20 or newer; see runtime.pcHeader for what has become of it")

// forgetNames fills with zeros, which compress to nothing, the names of functions and of
// source files, and the tables of line numbers. Nothing moves, so that no table has to be
// rewritten. The runtime needs them only to print where a goroutine is; the names of its
// own functions stay, because it tells its own goroutines by them.
func forgetNames(segments []segment) error {
	found := false
	for _, s := range segments {
		for at := 0; ; at += len(tableMagic) {
			next := bytes.Index(s.data[at:], tableMagic)
			if next < 0 {
				break
			}
			at += next
			if t, ok := readTable(s.data[at:]); ok {
				t.forgetLines()
				t.forgetNames()
				clear(t.files)
				found = true
			}
		}
	}
	if !found {
		return errNoTable
	}
	return nil
}

// functionTable holds the parts of runtime.pcHeader's table that are worked on.
type functionTable struct {
	names, files []byte
	// programs holds the tables by which a value follows from an address, such as a
	// line number; functions are an index and a runtime._func for each function.
	programs, functions []byte
	count               int
}

// readTable finds the parts of the table that begins the data. It reports whether there
// is one: whether the offsets in its header are in their order and within the data.
func readTable(data []byte) (t functionTable, ok bool) {
	const words = 9 // the magic number and the eight words of runtime.pcHeader behind it
	if len(data) < 8*words {
		return t, false
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	count, names, units, files, programs, functions := word(1), word(4), word(5), word(6), word(7), word(8)
	if names < 8*words || units <= names || files < units || programs <= files || functions <= programs ||
		functions > uint64(len(data)) || count > (uint64(len(data))-functions)/8 {
		return t, false
	}
	return functionTable{data[names:units], data[files:programs], data[programs:functions], data[functions:], int(count)}, true
}

// A function is a runtime._func, whose members are words of 32 bits.
type function []byte

// The positions of the members of a runtime._func that are used.
const (
	nameOffset    = 1
	stackProgram  = 4
	fileProgram   = 5
	lineProgram   = 6
	morePrograms  = 7
	startLine     = 9
	functionWords = 11
)

func (f function) get(i int) uint32    { return binary.LittleEndian.Uint32(f[4*i:]) }
func (f function) set(i int, n uint32) { binary.LittleEndian.PutUint32(f[4*i:], n) }

// each calls do for each function, but for those whose place is not in the table.
func (t *functionTable) each(do func(function)) {
	for i := range t.count {
		at := binary.LittleEndian.Uint32(t.functions[8*i+4:])
		if uint64(at)+4*functionWords <= uint64(len(t.functions)) {
			do(function(t.functions[at:]))
		}
	}
}

// forgetLines clears the tables of files and lines that serve nothing else, and says in
// each function that it has none: an offset of 0 is no table.
func (t *functionTable) forgetLines() {
	kept, begins := map[uint32]bool{}, map[uint32]bool{}
	t.each(func(f function) {
		kept[f.get(stackProgram)] = true
		for i := range min(f.get(morePrograms), uint32(len(f)/4-functionWords)) {
			kept[f.get(functionWords+int(i))] = true
		}
		begins[f.get(fileProgram)], begins[f.get(lineProgram)] = true, true
		f.set(fileProgram, 0)
		f.set(lineProgram, 0)
		f.set(startLine, 0)
	})
	all := slices.Collect(maps.Keys(begins))
	for at := range kept {
		all = append(all, at)
	}
	slices.Sort(all)
	for i, at := range all {
		end := uint32(len(t.programs))
		if i+1 < len(all) {
			end = min(end, all[i+1])
		}
		if at > 0 && !kept[at] && at < end {
			clear(t.programs[at:end])
		}
	}
}

// forgetNames clears the names but for the runtime's own. Functions whose name is gone
// have the empty one at the end.
func (t *functionTable) forgetNames() {
	last := len(t.names) - 1
	if t.names[last] != 0 {
		return
	}
	own := func(at uint32) bool { return bytes.HasPrefix(t.names[min(int(at), last):], []byte("runtime.")) }
	t.each(func(f function) {
		if !own(f.get(nameOffset)) {
			f.set(nameOffset, uint32(last))
		}
	})
	for at := 0; at < last; {
		end := at + bytes.IndexByte(t.names[at:], 0)
		if !own(uint32(at)) {
			clear(t.names[at:end])
		}
		at = end + 1
	}
}
