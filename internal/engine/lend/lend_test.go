package lend

import (
	"runtime"
	"sync"
	"testing"
)

func TestOneStaysAtHand(t *testing.T) {
	made := 0
	d := Desk[[]byte]{New: func() *[]byte { made++; return new([]byte) }}
	one, two := d.Borrow(), d.Borrow()
	if one == two || made != 2 {
		t.Fatalf("two borrowers have one value; %d were made", made)
	}
	d.Return(one)
	d.Return(two)
	for range 3 {
		runtime.GC()
	}
	if got := d.Borrow(); got != one || made != 2 {
		t.Errorf("the value that was kept is gone after a collection; %d were made", made)
	}
}

// TestNobodyShares: whoever borrows a value has it alone (see also -race).
func TestNobodyShares(t *testing.T) {
	d := Desk[int]{New: func() *int { return new(int) }}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				x := d.Borrow()
				*x++
				if was := *x; was != *x {
					t.Error("somebody else has changed a value that was lent")
				}
				d.Return(x)
			}
		})
	}
	all.Wait()
}
