package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
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

	ftabEntry  = 8 // bytes of an entry of the list: a program counter, where the record is
	ftabRecord = 4

	funcName   = 4  // offset of the name
	funcPCSP   = 16 // the table of the stack's depth
	funcPCFile = 20 // the table of files
	funcPCLine = 24 // the table of lines
	funcPCData = 28 // how many tables of the compiler by program counter
	funcUnit   = 32 // where the function's files are
	funcLine   = 36 // the line that it begins in
	funcData   = 43 // how many tables of the compiler for the whole function
	funcTables = 44 // offsets of the former, then of the latter
	offsetSize = 4

	recordAlign = 8

	moduleNames   = 8   // in runtime.moduledata, which begins with the header's address
	moduleBuckets = 152 // the table to find a function by a program counter

	bucketSize  = 20 // a function, and for parts of the bucket how many further, all 0 here
	bucketsBits = 4  // each function has 16 buckets, the last one has 1

	unsafePoints  = 0 // by program counter: where a thread must not be stopped
	argumentsLive = 3 // by program counter: which arguments a traceback may print
	argumentsInfo = 5 // for the whole function: how a traceback prints arguments
	argumentsSafe = 6 // for the whole function: which of them may be gone
)

// magic begins the header: the format's number, two zeros, the quantum of
// program counters and the size of a pointer.
var magic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

var errTable = errors.New("the function table is not of the form that is known; was Go's version changed?")

// table is the function table within memory.
type table struct {
	memory
	functions                          int
	first                              int // program counter of the first function, by which the others follow
	names, units, pctab, ftab, buckets int // addresses
}

// findTable finds the one function table in memory.
func findTable(m memory) (*table, error) {
	header := -1
	for at := 0; ; at++ {
		next := bytes.Index(m[at:], magic)
		if next < 0 {
			break
		}
		at += next
		if at%8 != 0 || !inOrder(m, at) {
			continue
		}
		if header >= 0 {
			return nil, errTable
		}
		header = at
	}
	if header < 0 {
		return nil, errTable
	}
	address := func(field int) int { return header + m.integer(header+field, 8) }
	t := &table{memory: m, functions: m.integer(header+headerFuncs, 8), names: address(headerNames), units: address(headerUnits),
		pctab: address(headerPCTab), ftab: address(headerFtab)}
	t.first, t.buckets = m.integer(t.ftab, offsetSize), findBuckets(m, header, t.names)
	if t.functions <= 0 || t.functions > 1<<20 {
		return nil, errTable
	}
	for i := range t.functions {
		if r := t.record(i); r <= t.ftab || r+funcTables > len(m) || t.tables(r, funcPCData) > 16 {
			return nil, errTable
		}
	}
	return t, nil
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

// findBuckets returns the address of the table to find a function by a program
// counter, 0 where runtime.moduledata is not found.
func findBuckets(m memory, header, names int) int {
	for at := 0; at+moduleBuckets < len(m); at += 8 {
		if m.integer(at, 8) == header && m.integer(at+moduleNames, 8) == names {
			return m.integer(at+moduleBuckets, 8)
		}
	}
	return 0
}

// record returns the address of a function's record.
func (t *table) record(i int) int {
	return t.ftab + t.integer(t.ftab+ftabEntry*i+ftabRecord, offsetSize)
}

// tables says how many tables of a kind, funcPCData or funcData, a record has.
func (t *table) tables(record, kind int) int {
	if kind == funcData {
		return t.integer(record+kind, 1)
	}
	return t.integer(record+kind, offsetSize)
}

// recordEnd returns the offset from the list where the record after one begins.
func (t *table) recordEnd(record int) int {
	tables := t.tables(record, funcPCData) + t.tables(record, funcData)
	return (record - t.ftab + funcTables + offsetSize*tables + recordAlign - 1) &^ (recordAlign - 1)
}

func (t *table) bucketCount() int { return (t.functions-1)<<bucketsBits + 1 }

// bucketsEnd is where the buckets end; the last one has no parts but the first.
func (t *table) bucketsEnd() int { return t.buckets + bucketSize*(t.bucketCount()-1) + offsetSize }

// dropRegular clears what follows from the rest, after it has looked that it does.
// A program counter in WebAssembly is a function's number and a place within it, and
// the records stand one after the other: so all of the list of functions is known,
// and of the table to find them in, which is a fifth of the module.
func (t *table) dropRegular() error {
	if t.buckets == 0 || t.bucketsEnd() > len(t.memory) {
		return errTable
	}
	for i, next := 0, t.record(0)-t.ftab; i < t.functions; i++ {
		r, entry := t.record(i), t.ftab+ftabEntry*i
		if r-t.ftab != next || t.integer(entry, offsetSize) != t.first+i || t.integer(r, offsetSize) != t.first+i {
			return errTable
		}
		next = t.recordEnd(r)
	}
	for i := range t.bucketCount() {
		b := t.buckets + bucketSize*i
		parts := t.memory[b+offsetSize : min(b+bucketSize, t.bucketsEnd())]
		if t.integer(b, offsetSize) != i>>bucketsBits || bytes.ContainsFunc(parts, func(r rune) bool { return r != 0 }) {
			return errTable
		}
	}
	for i := range t.functions {
		t.put(t.record(i), 0)
	}
	t.clear(t.ftab, t.ftab+ftabEntry*t.functions)
	t.clear(t.buckets, t.bucketsEnd())
	return nil
}

// forgetPlaces sets each function's tables of lines and files to none, and those
// that only say how a traceback prints arguments or where a thread may be stopped,
// which WebAssembly does not do.
func (t *table) forgetPlaces() {
	for i := range t.functions {
		r := t.record(i)
		for _, field := range [...]int{funcPCFile, funcPCLine, funcUnit, funcLine} {
			t.put(r+field, 0)
		}
		byCounter := t.tables(r, funcPCData)
		for _, kind := range [...]int{unsafePoints, argumentsLive} {
			if kind < byCounter {
				t.put(r+funcTables+offsetSize*kind, 0)
			}
		}
		for _, kind := range [...]int{argumentsInfo, argumentsSafe} {
			if kind < t.tables(r, funcData) {
				t.put(r+funcTables+offsetSize*(byCounter+kind), -1)
			}
		}
	}
	t.clear(t.units, t.pctab)
}

// packTables moves the tables by program counter that are still referred to
// together and clears what that leaves.
func (t *table) packTables() error {
	all := t.memory[t.pctab:t.ftab]
	packed := []byte{0} // no table has the offset 0
	moved := map[int]int{0: 0}
	pack := func(field int) bool {
		from := t.integer(field, offsetSize)
		to, done := moved[from]
		if !done {
			size := tableSize(all[min(from, len(all)):])
			to = len(packed)
			moved[from] = to
			packed = append(packed, all[from:from+size]...)
		}
		t.put(field, to)
		return done || len(packed) > to
	}
	for i := range t.functions {
		r := t.record(i)
		ok := pack(r + funcPCSP)
		for kind := range t.tables(r, funcPCData) {
			ok = pack(r+funcTables+offsetSize*kind) && ok
		}
		if !ok {
			return errTable
		}
	}
	clear(all[copy(all, packed):])
	return nil
}

// tableSize returns how many bytes the table at the beginning has, 0 for none:
// pairs of numbers in base 128, a change of value and one of the program counter,
// up to a value's change of 0 that is not the first.
func tableSize(pctab []byte) int {
	at := 0
	number := func() (zero, ok bool) {
		n, size := binary.Uvarint(pctab[at:])
		at += max(size, 0)
		return n == 0, size > 0
	}
	for first := true; ; first = false {
		zero, ok := number()
		if !ok {
			return 0
		}
		if zero && !first {
			return at
		}
		if _, ok := number(); !ok {
			return 0
		}
	}
}

// shareNames leaves all functions but a few with one of two names.
func (t *table) shareNames() {
	packed := []byte{0}
	offsets := map[string]int{}
	for i := range t.functions {
		field := t.record(i) + funcName
		name := sharedName(t.text(t.names + t.integer(field, offsetSize)))
		offset, known := offsets[name]
		if !known {
			offset = len(packed)
			offsets[name] = offset
			packed = append(append(packed, name...), 0)
		}
		t.put(field, offset)
	}
	names := t.memory[t.names:t.units]
	clear(names[copy(names, packed):])
}

// sharedName returns what the runtime has to see of a function's name. It knows
// its own goroutines by the package, and two of reflect's functions by name; and
// it takes the name of a method apart that a nil pointer has no value for.
func sharedName(name string) string {
	switch {
	case strings.HasPrefix(name, "runtime."):
		return "runtime.function"
	case name == "reflect.makeFuncStub" || name == "reflect.methodValueCall":
		return name
	}
	return "some.(*type).method"
}
