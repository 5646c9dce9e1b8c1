package schema

import (
	"iter"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// maxNameLength bounds the length of names that Nearest compares.
const maxNameLength = 256

// Nearest returns the candidate closest to a misspelt name, or "" if none is close. It
// ignores case; inserting, deleting, changing or transposing a letter counts as one edit,
// and up to a third of the letters may differ. Among equally close candidates the first is
// returned.
func Nearest(name string, candidates iter.Seq[string]) string {
	if name == "" || len(name) > maxNameLength {
		return ""
	}
	folded := []rune(strings.ToLower(name))
	best, least := "", (len(folded)+2)/3+1
	for c := range candidates {
		if len(c) > maxNameLength {
			continue
		}
		if d := distance(folded, []rune(strings.ToLower(c)), least); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance returns the edit distance between a and b, or limit if it is at least limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// NearestField returns the name of the field that was probably meant by the last step of a
// path that the type lacks, or "" if no field's name is close.
func (t *Type) NearestField(path document.Path) string {
	for i, step := range path {
		name, isField := step.Name()
		switch {
		case t == nil:
			return ""
		case !isField:
			if t.List == nil {
				return ""
			}
			t = t.List.Elem
		case t.Map == nil:
			return ""
		case t.Map.Member(name) != nil:
			t = t.Map.Member(name)
		case i < len(path)-1:
			return ""
		default:
			return Nearest(name, func(yield func(string) bool) {
				for _, f := range t.Map.Fields {
					if !yield(f.Name) {
						return
					}
				}
			})
		}
	}
	return ""
}
