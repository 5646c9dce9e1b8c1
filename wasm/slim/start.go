package main

import (
	"encoding/binary"
	"slices"
)

// The instructions of WebAssembly that are used here, on 32 bits.
const (
	opLoop       = 0x03
	opIf         = 0x04
	opEnd        = 0x0b
	opBranchIf   = 0x0d
	opGet        = 0x20
	opSet        = 0x21
	opLoad       = 0x28
	opLoadByte   = 0x2d
	opStore      = 0x36
	opConstant   = 0x41
	opIsZero     = 0x45
	opLess       = 0x49
	opAdd        = 0x6a
	opMultiply   = 0x6c
	opAnd        = 0x71
	opShiftRight = 0x76

	noResult     = 0x40 // of a block
	number32     = 0x7f // type of a local
	functionType = 0x60
	ofFunction   = 0 // kind of an import
)

// code is a function's body while it is written.
type code []byte

func (c *code) op(instructions ...byte) { *c = append(*c, instructions...) }

func (c *code) constant(n int) {
	c.op(opConstant)
	*c = appendSigned(*c, n)
}

// access loads or stores at an address, to which the one on the stack is added.
func (c *code) access(instruction byte, address int) {
	c.op(instruction, 0) // of any alignment
	*c = binary.AppendUvarint(*c, uint64(address))
}

// startCode is a function that fills in what dropRegular has taken away. It goes
// over the buckets, and at the first one of each function writes its entry of the
// list and the beginning of its record.
func (t *table) startCode() []byte {
	const bucket, record = 0, 1 // locals; record is an offset from the list
	c := code{1, 2, number32}   // one group of two locals
	function := func() {
		c.op(opGet, bucket)
		c.constant(bucketsBits)
		c.op(opShiftRight)
	}
	counter := func() {
		function()
		c.constant(t.first)
		c.op(opAdd)
	}
	entry := func() {
		function()
		c.constant(ftabEntry)
		c.op(opMultiply)
	}
	c.constant(t.record(0) - t.ftab)
	c.op(opSet, record, opLoop, noResult)

	// buckets[bucket] = function
	c.op(opGet, bucket)
	c.constant(bucketSize)
	c.op(opMultiply)
	function()
	c.access(opStore, t.buckets)

	// if bucket is the first of its function: list[function] = {counter, record},
	// the record's counter = counter, record = the next one
	c.op(opGet, bucket)
	c.constant(1<<bucketsBits - 1)
	c.op(opAnd, opIsZero, opIf, noResult)
	entry()
	counter()
	c.access(opStore, t.ftab)
	entry()
	c.op(opGet, record)
	c.access(opStore, t.ftab+ftabRecord)
	c.op(opGet, record)
	counter()
	c.access(opStore, t.ftab)
	t.nextRecord(&c, record)
	c.op(opEnd)

	// bucket++, and again while it is less than their number
	c.op(opGet, bucket)
	c.constant(1)
	c.op(opAdd, opSet, bucket, opGet, bucket)
	c.constant(t.bucketCount())
	c.op(opLess, opBranchIf, 0, opEnd, opEnd)
	return c
}

// nextRecord moves a local on to the record after it, as recordEnd does.
func (t *table) nextRecord(c *code, record byte) {
	c.op(opGet, record, opGet, record)
	c.access(opLoad, t.ftab+funcPCData)
	c.op(opGet, record)
	c.access(opLoadByte, t.ftab+funcData)
	c.op(opAdd)
	c.constant(offsetSize)
	c.op(opMultiply, opAdd)
	c.constant(funcTables + recordAlign - 1)
	c.op(opAdd)
	c.constant(-recordAlign)
	c.op(opAnd, opSet, record)
}

// moveToStart takes away what follows from the rest of the table and has a function
// put it back.
func (m *module) moveToStart(t *table) error {
	body := t.startCode()
	if err := t.dropRegular(); err != nil {
		return err
	}
	return m.addStart(body)
}

// addStart adds a function that is called when the module is instantiated.
func (m *module) addStart(body []byte) error {
	types, functions, bodies := m.section(typeSection), m.section(functionSection), m.section(codeSection)
	after := slices.IndexFunc(m.sections, func(s section) bool { return s.id == exportSection })
	if types == nil || functions == nil || bodies == nil || after < 0 || m.section(startSection) != nil {
		return errModule
	}
	imported, err := m.importedFunctions()
	if err != nil {
		return err
	}
	kind := types.add([]byte{functionType, 0, 0})
	index := imported + functions.add(binary.AppendUvarint(nil, uint64(kind)))
	bodies.add(append(binary.AppendUvarint(nil, uint64(len(body))), body...))
	start := section{id: startSection, content: binary.AppendUvarint(nil, uint64(index))}
	m.sections = slices.Insert(m.sections, after+1, start)
	return nil
}

// add adds an element to a section that is a list, and returns its index.
func (s *section) add(element []byte) int {
	r := reader{b: s.content}
	count := r.number()
	s.content = slices.Concat(binary.AppendUvarint(nil, uint64(count+1)), r.b, element)
	return count
}

// importedFunctions counts them; they stand before the module's own. Nothing else
// is imported by what Go's linker writes.
func (m *module) importedFunctions() (int, error) {
	imports := m.section(importSection)
	if imports == nil {
		return 0, nil
	}
	r := reader{b: imports.content}
	count := r.number()
	for range count {
		r.bytes(r.number()) // the module's name
		r.bytes(r.number())
		if r.number() != ofFunction {
			return 0, errModule
		}
		r.number() // its type
		if r.bad {
			return 0, errModule
		}
	}
	return count, nil
}
