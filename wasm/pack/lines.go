package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// functionTable is the table of functions in the memory of a Go program ("pclntab"). The
// runtime finds in it, for each instruction, the size of the stack frame, the live pointers, and
// the file and line. Its layout is that of the runtime's types pcHeader and _func in Go 1.20 to
// 1.26.
type functionTable struct {
	functions []byte   // the list of functions, and their records
	records   []record // in the order of the list
	names     []byte   // texts that end with a zero byte
	files     []byte   // the lists of files of each package, and the names of files
	tables    []byte   // numbers by instruction, to which the records refer by offset
}

// record is a function's: the offsets of its tables among others, as numbers of 4 bytes.
type record []byte

// The offsets of fields in a record.
const (
	recordEntry      = 0
	recordName       = 4
	recordFrameTable = 16 // sizes of the stack frame
	recordFileTable  = 20
	recordLineTable  = 24
	recordTableCount = 28 // of further tables
	recordPackage    = 32 // where the list of its package's files starts
	recordFirstLine  = 36
	recordTables     = 44 // offsets of further tables
)

// mostTables bounds the number of further tables of a function; Go 1.26 has up to five.
const mostTables = 16

func (r record) get(field int) int { return int(binary.LittleEndian.Uint32(r[field:])) }

func (r record) set(field, n int) { binary.LittleEndian.PutUint32(r[field:], uint32(n)) }

// needed yields the fields with offsets of tables that the runtime cannot do without.
func (r record) needed(yield func(field int) bool) {
	if !yield(recordFrameTable) {
		return
	}
	for i := range r.get(recordTableCount) {
		if !yield(recordTables + 4*i) {
			return
		}
	}
}

// tableMagic starts a function table: the number of its version, two zero bytes, and the sizes of
// the smallest instruction and of a pointer in WebAssembly.
const tableMagic = "\xf1\xff\xff\xff\x00\x00\x01\x08"

var errUnknownLayout = errors.New("the table of functions is not laid out as in Go 1.20 to 1.26")

// readFunctionTable finds the table in memory. It checks what identifies the layout, so that a
// table of another version of Go is an error.
func readFunctionTable(memory []byte) (functionTable, error) {
	const headerSize = 8 + 8*8
	start := bytes.Index(memory, []byte(tableMagic))
	if start < 0 || len(memory)-start < headerSize || bytes.Contains(memory[start+1:], []byte(tableMagic)) {
		return functionTable{}, errUnknownLayout
	}
	memory = memory[start:]
	number := func(i int) int { return int(binary.LittleEndian.Uint64(memory[8+8*i:])) }
	count, ends := number(0), []int{headerSize, number(3), number(4), number(6), number(7), len(memory)}
	if !slices.IsSorted(ends) || count < 1 || count > (len(memory)-number(7))/8 {
		return functionTable{}, errUnknownLayout
	}
	part := func(i int) []byte { return memory[ends[i]:ends[i+1]:ends[i+1]] }
	t := functionTable{names: part(1), files: part(2), tables: part(3), functions: part(4)}
	for i := range count {
		r, err := t.record(i)
		if err != nil {
			return functionTable{}, fmt.Errorf("function %d of %d: %w", i+1, count, err)
		}
		t.records = append(t.records, r)
	}
	return t, nil
}

// record reads the function at index i of the list, which has an instruction and an offset for
// each.
func (t functionTable) record(i int) (record, error) {
	item := record(t.functions[8*i:])
	entry, start := item.get(0), item.get(4)
	if start > len(t.functions)-recordTables {
		return nil, errUnknownLayout
	}
	r := record(t.functions[start:])
	name, tables := r.get(recordName), r.get(recordTableCount)
	switch {
	case r.get(recordEntry) != entry,
		name >= len(t.names) || name > 0 && t.names[name-1] != 0,
		tables > mostTables || len(r) < recordTables+4*tables:
		return nil, errUnknownLayout
	}
	return r, nil
}

// dropLines removes the files and lines, which are only needed for stack traces: these then show
// "?:0" after the names of functions. The tables that remain move to the start of their part, and
// the rest of it is filled with zeros.
func (t functionTable) dropLines() error {
	moved := map[int]int{0: 0} // new offsets; 0 stands for no table
	for _, r := range t.records {
		for field := range r.needed {
			moved[r.get(field)] = 0
		}
	}
	kept := []byte{0}
	for _, offset := range slices.Sorted(maps.Keys(moved))[1:] {
		table, err := t.table(offset)
		if err != nil {
			return err
		}
		moved[offset] = len(kept)
		kept = append(kept, table...)
	}
	if len(kept) > len(t.tables) {
		return errUnknownLayout // tables that overlap
	}
	for _, r := range t.records {
		for field := range r.needed {
			r.set(field, moved[r.get(field)])
		}
		for _, field := range []int{recordFileTable, recordLineTable, recordPackage, recordFirstLine} {
			r.set(field, 0)
		}
	}
	clear(t.tables[copy(t.tables, kept):])
	clear(t.files)
	return nil
}

// table returns the table at an offset: pairs of differences, of a value and of the instruction from
// which it no longer holds. It ends with a difference of 0 between values that is not the first.
func (t functionTable) table(offset int) ([]byte, error) {
	if offset >= len(t.tables) {
		return nil, errUnknownLayout
	}
	r := reader{data: t.tables[offset:]}
	for first := true; r.err == nil; first = false {
		if r.number() == 0 && !first {
			break
		}
		r.number()
	}
	if r.err != nil {
		return nil, errUnknownLayout
	}
	return t.tables[offset : len(t.tables)-len(r.data)], nil
}
