package document

import "slices"

// A convertedKey is a key that JSON text spells differently from its YAML.
type convertedKey struct {
	after   int // offset of the key's value in the JSON text
	written string
}

// A ConvertedKey is a plain key of YAML that is read as another text, because it is a boolean or a number: y is true, and
// 010 is 8.
type ConvertedKey struct {
	Path     Path // of the key as it is read, from the root
	Written  string
	Position Position
}

// ConvertedKeys returns the keys of a YAML document that are read as other texts, in source order: the first thousand, or
// fewer of those with long paths.
func (d *Document) ConvertedKeys() []ConvertedKey {
	var found []ConvertedKey
	walk, steps := pathWalk{s: d.source}, 0
	for _, k := range d.converted {
		walk.to(k.after)
		if steps += len(walk.path); steps > maxDuplicateSteps && len(found) > 0 {
			break
		}
		found = append(found, ConvertedKey{Path: slices.Clone(walk.path), Written: k.written, Position: d.position(k.after - 1)})
	}
	return found
}
