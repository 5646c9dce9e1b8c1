package document

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Follow returns the same as v.Follow(p). It indexes the long lists that it searches, so
// that following many paths through a list with many items takes linear time. v should be
// part of the document. Follow is safe for concurrent use.
func (d *Document) Follow(v Value, p Path) Value {
	for _, s := range p {
		if (s.kind == StepKey || s.kind == StepValue) && v.Kind() == List && v.Len() > fewItems && d.lookup != nil {
			d.lookup.Lock()
			v = d.lookup.in(s, v)
			d.lookup.Unlock()
		} else {
			v = s.In(v)
		}
	}
	return v
}

// fewItems is the length up to which lists are searched linearly.
const fewItems = 16

// lookup caches indices of lists and checkpoints of positions. The zero value is empty.
type lookup struct {
	sync.Mutex
	lists map[listNames]map[string]int
	lines []checkpoint
	// scanned counts the items and bytes read, which tests bound.
	scanned int
}

// listNames is the cache key of a list index: the list (its first node) and the names of
// the key fields, "" for a set.
type listNames struct {
	list  *node
	names string
}

// in is Step.In with an index for long lists.
func (l *lookup) in(s Step, list Value) Value {
	key := s.Value()
	var names []string
	if s.kind == StepKey {
		if n := key.Len(); n == 0 || n > 8 {
			return s.In(list) // no list type has no keys, or this many
		}
		for name := range key.Members() {
			names = append(names, name)
		}
	}
	items := l.items(list, names)
	if i, ok := items[s.text]; ok {
		return list.At(i)
	}
	// Items with some of the key fields and without the others.
	at := list.Len()
	for part := 1; part < 1<<len(names)-1; part++ {
		var some ObjectBuilder
		for i := range names {
			if part>>i&1 == 1 {
				some.Keep(key, i)
			}
		}
		if i, ok := items[string(appendKeyElement(nil, some.Object()))]; ok {
			at = min(at, i)
		}
	}
	if at == list.Len() {
		return Value{}
	}
	return list.At(at)
}

// items maps each key to the index of the first item that has it. A key is the canonical
// JSON of the named fields that the item has or, for a set, of the item itself.
func (l *lookup) items(list Value, names []string) map[string]int {
	id := listNames{&list.n.kids()[0], strings.Join(names, "\x00")}
	if items, ok := l.lists[id]; ok {
		return items
	}
	l.scanned += list.Len()
	items := make(map[string]int, list.Len())
	for i, item := range list.Items() {
		var text []byte
		if len(names) == 0 {
			text = AppendElementValue(nil, item)
		} else {
			var key ObjectBuilder
			for _, name := range names {
				key.Set(name, item.Get(name))
			}
			text = appendKeyElement(nil, key.Object())
		}
		if _, ok := items[string(text)]; !ok {
			items[string(text)] = i
		}
	}
	if l.lists == nil {
		l.lists = map[listNames]map[string]int{}
	}
	l.lists[id] = items
	return items
}

// checkpoint is the line and column at a multiple of checkpointBytes, so that a position is
// found by reading only the bytes after a checkpoint.
type checkpoint struct{ line, column int }

const checkpointBytes = 1 << 10

// position returns the line and column of an offset in s.
func (l *lookup) position(s string, at int) (line, column int) {
	at = min(at, len(s))
	if at < checkpointBytes {
		return advance(1, 1, s[:at])
	}
	l.Lock()
	defer l.Unlock()
	if l.lines == nil {
		l.scanned += len(s)
		l.lines = make([]checkpoint, 1, 1+len(s)/checkpointBytes)
		l.lines[0] = checkpoint{1, 1}
		for end := checkpointBytes; end <= len(s); end += checkpointBytes {
			c := l.lines[len(l.lines)-1]
			c.line, c.column = advance(c.line, c.column, s[end-checkpointBytes:end])
			l.lines = append(l.lines, c)
		}
	}
	n := at / checkpointBytes
	l.scanned += at - n*checkpointBytes
	return advance(l.lines[n].line, l.lines[n].column, s[n*checkpointBytes:at])
}

// advance returns the line and column after piece. A character split between two pieces is
// counted in the first.
func advance(line, column int, piece string) (int, int) {
	if lines := strings.Count(piece, "\n"); lines > 0 {
		line += lines
		column = 1
		piece = piece[strings.LastIndexByte(piece, '\n')+1:]
	}
	for i := range len(piece) {
		if utf8.RuneStart(piece[i]) {
			column++
		}
	}
	return line, column
}
