package playground

import (
	"slices"

	"github.com/patchlab-dev/patchlab/document"
)

// shownRows is the rows of the last response to a run. Most of the next ones are the same, so
// a page that still has them gets only the others. The page numbers its requests: a request
// with "rows": {"number": N, "have": M} is number N, and the page has the rows of request M.
type shownRows struct {
	number, have int64 // of the current request, 0 if it has none
	of           int64 // the number of the request whose rows are kept
	rows         []Row
}

// begin reads what a request states about rows.
func (k *shownRows) begin(v document.Value) {
	k.number, _ = v.Get("number").Int()
	k.have, _ = v.Get("have").Int()
}

// runShown is run with the rows that the page does not have.
func (e *Engine) runShown(in *RunInput) (*RunOutput, error) {
	out, err := e.run(in)
	if err != nil || e.rows.number == 0 {
		return out, err
	}
	all := out.Rows
	if e.rows.have == e.rows.of {
		out.KeptBefore, out.KeptAfter = kept(e.rows.rows, all)
		out.Rows = all[out.KeptBefore : len(all)-out.KeptAfter]
	}
	e.rows.of, e.rows.rows = e.rows.number, all
	return out, nil
}

// kept returns how many rows at the beginning and at the end of two lists are the same.
func kept(before, after []Row) (begin, end int) {
	n := min(len(before), len(after))
	for begin < n && before[begin].same(&after[begin]) {
		begin++
	}
	for end < n-begin && before[len(before)-1-end].same(&after[len(after)-1-end]) {
		end++
	}
	return begin, end
}

func (r *Row) same(other *Row) bool {
	return r.Text == other.Text && r.Line == other.Line && r.Mark == other.Mark && r.Meaning == other.Meaning &&
		slices.Equal(r.Owners, other.Owners) && slices.Equal(r.Below, other.Below)
}
