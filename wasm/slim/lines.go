package main

import (
	"bytes"
	"errors"
)

// The layout of the function table (runtime.pcHeader and runtime._func) for
// pointers of 8 bytes, as WebAssembly has them in Go.
const (
	headerFuncs = 8  // how many functions
	headerUnits = 40 // offset of the tables of files, which end where the next begin
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
// bytes of tables that nothing refers to any more to zero. It returns how many
// those are.
func blankLines(m memory) (int, error) {
	header, err := findHeader(m)
	if err != nil {
		return 0, err
	}
	count := m.integer(header+headerFuncs, 8)
	pctab := header + m.integer(header+headerPCTab, 8)
	ftab := header + m.integer(header+headerFtab, 8)
	if count <= 0 || count > 1<<20 || pctab <= header || ftab <= pctab {
		return 0, errTable
	}
	blanked := 0
	used := make([]bool, ftab-pctab)
	keep := func(offset int) bool { return offset == 0 || mark(m, pctab, offset, used) }
	for i := range count {
		f := ftab + m.integer(ftab+8*i+4, 4)
		ok := keep(m.integer(f+funcPCSP, tableOffset))
		for j := range m.integer(f+funcPCData, 4) {
			ok = ok && keep(m.integer(f+funcTables+tableOffset*j, tableOffset))
		}
		if !ok {
			return 0, errTable
		}
	}
	for i := range count {
		f := ftab + m.integer(ftab+8*i+4, 4)
		for _, field := range [...]int{funcPCFile, funcPCLine, funcUnit, funcLine} {
			for at := range tableOffset {
				m.clear(f + field + at)
			}
		}
	}
	for at := header + m.integer(header+headerUnits, 8); at < pctab; at++ {
		m.clear(at)
		blanked++
	}
	for i, u := range used {
		if !u {
			m.clear(pctab + i)
			blanked++
		}
	}
	return blanked, nil
}

// findHeader finds the one header in memory.
func findHeader(m memory) (int, error) {
	found := -1
	for _, s := range m.segments {
		for at := 0; ; at++ {
			next := bytes.Index(s.data[at:], magic)
			if next < 0 {
				break
			}
			at += next
			if address := s.address + at; address%8 == 0 && m.integer(address+headerPCTab, 8) > headerSize {
				if found >= 0 {
					return 0, errTable
				}
				found = address
			}
		}
	}
	if found < 0 {
		return 0, errTable
	}
	return found, nil
}

// mark notes the bytes of a table as used: pairs of numbers in base 128, a
// change of value and one of the program counter, up to a value's change of 0
// that is not the first.
func mark(m memory, pctab, offset int, used []bool) bool {
	number := func() (zero, ok bool) {
		zero = true
		for first := true; ; first = false {
			if offset >= len(used) {
				return false, false
			}
			c := m.byte(pctab + offset)
			used[offset] = true
			offset++
			zero = zero && c == 0
			if c < 0x80 {
				return zero, true
			}
			if !first && c == 0 {
				return false, false
			}
		}
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
