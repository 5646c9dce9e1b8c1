package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The layout of the function table (runtime.pcHeader and runtime._func) for
// pointers of 8 bytes, as WebAssembly has them in Go.
const (
	headerFuncs = 8  // how many functions
	headerNames = 32 // offset of the functions' names, which end where the next begin
	headerUnits = 40 // offset of the tables of files, which end where the next begin
	headerFiles = 48 // offset of the names of files
	headerPCTab = 56 // offset of the tables of numbers by program counter
	headerFtab  = 64 // offset of the list of functions
	headerSize  = 72

	funcPCSP    = 16 // the table of the stack's depth
	funcPCFile  = 20 // the table of files
	funcPCLine  = 24 // the table of lines
	funcPCData  = 28 // how many tables of the garbage collector
	funcUnit    = 32 // where the function's files are
	funcLine    = 36 // the line that it begins in
	funcTables  = 44 // their offsets
	tableOffset = 4  // bytes of an offset
)

// magic begins the header: the format's number, two zeros, the quantum of
// program counters and the size of a pointer.
var magic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

var errTable = errors.New("the function table is not of the form that is known; was Go's version changed?")

// blankLines sets each function's tables of lines and files to none, and all
// bytes of tables that nothing refers to any more to zero, names of functions too.
// It returns how many bytes those are.
func blankLines(m memory) (int, error) {
	header, err := findHeader(m)
	if err != nil {
		return 0, err
	}
	offset := func(at int) int { return header + m.integer(header+at, 8) }
	names, units, pctab, ftab := offset(headerNames), offset(headerUnits), offset(headerPCTab), offset(headerFtab)
	used, err := usedTables(m, m.integer(header+headerFuncs, 8), pctab, ftab)
	if err != nil {
		return 0, err
	}
	for i := range m.integer(header+headerFuncs, 8) {
		f := ftab + m.integer(ftab+8*i+4, 4)
		for _, field := range [...]int{funcPCFile, funcPCLine, funcUnit, funcLine} {
			m.clear(f+field, f+field+tableOffset)
		}
	}
	m.clear(units, pctab)
	blanked := pctab - units
	for i, u := range used {
		if !u {
			m.clear(pctab+i, pctab+i+1)
			blanked++
		}
	}
	return blanked + blankNames(m[names:units]), nil
}

// usedTables says of each byte of the tables by program counter whether the
// garbage collector or the stack's depth needs it.
func usedTables(m memory, count, pctab, ftab int) ([]bool, error) {
	if count <= 0 || count > 1<<20 || pctab <= 0 || ftab <= pctab || ftab+8*count > len(m) {
		return nil, errTable
	}
	used := make([]bool, ftab-pctab)
	keep := func(offset int) bool { return offset == 0 || mark(m[pctab:ftab], offset, used) }
	for i := range count {
		f := ftab + m.integer(ftab+8*i+4, 4)
		ok := keep(m.integer(f+funcPCSP, tableOffset))
		for j := range m.integer(f+funcPCData, 4) {
			ok = ok && keep(m.integer(f+funcTables+tableOffset*j, tableOffset))
		}
		if !ok {
			return nil, errTable
		}
	}
	return used, nil
}

// blankNames sets names that end with a zero each to zero, but for those of the
// runtime, which knows its own goroutines by them.
func blankNames(names memory) int {
	blanked := 0
	for len(names) > 0 {
		end := bytes.IndexByte(names, 0)
		if end < 0 {
			break
		}
		if !bytes.HasPrefix(names, []byte("runtime.")) {
			names.clear(0, end)
			blanked += end
		}
		names = names[end+1:]
	}
	return blanked
}

// findHeader finds the one header in memory.
func findHeader(m memory) (int, error) {
	found := -1
	for at := 0; ; at++ {
		next := bytes.Index(m[at:], magic)
		if next < 0 {
			break
		}
		at += next
		if at%8 != 0 || !inOrder(m, at) {
			continue
		}
		if found >= 0 {
			return 0, errTable
		}
		found = at
	}
	if found < 0 {
		return 0, errTable
	}
	return found, nil
}

// inOrder reports whether the header's tables lie one after the other in memory.
func inOrder(m memory, header int) bool {
	last := headerSize - 1
	for _, field := range [...]int{headerNames, headerUnits, headerFiles, headerPCTab, headerFtab} {
		offset := m.integer(header+field, 8)
		if offset <= last || header+offset >= len(m) {
			return false
		}
		last = offset
	}
	return true
}

// mark notes the bytes of a table as used: pairs of numbers in base 128, a
// change of value and one of the program counter, up to a value's change of 0
// that is not the first.
func mark(pctab []byte, offset int, used []bool) bool {
	number := func() (zero, ok bool) {
		n, size := binary.Uvarint(pctab[min(offset, len(pctab)):])
		for i := range max(size, 0) {
			used[offset+i] = true
		}
		offset += size
		return n == 0, size > 0
	}
	for first := true; ; first = false {
		zero, ok := number()
		if !ok {
			return false
		}
		if zero && !first {
			return true
		}
		if _, ok := number(); !ok {
			return false
		}
	}
}
