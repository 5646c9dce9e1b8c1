package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// operation is a call of a client for one key, in the form that porcupine checks. Every
// written value is unique, so that it identifies the write.
type operation struct {
	key string
	// write is the value to write, "" for a read; shown is the value that it replaces,
	// as read from the storage, "" if the key is absent.
	write, shown string
	delete       bool
}

// result is the outcome of an operation as observed by the client.
type result struct {
	// read is the value returned by a read, "" if the key is absent.
	read string
	// unknown is set if a write may or may not have taken effect.
	unknown bool
}

// register is the model of one key: its value, "" if it does not exist. A write takes effect
// only on the value that it was shown.
func register() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{""} },
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			keys := map[string][]porcupine.Operation{}
			for _, o := range history {
				key := o.Input.(operation).key
				keys[key] = append(keys[key], o)
			}
			var out [][]porcupine.Operation
			for _, part := range keys {
				out = append(out, part)
			}
			return out
		},
		Step: func(state, input, output any) []any {
			value, in, out := state.(string), input.(operation), output.(result)
			next := in.write
			switch {
			case in.write == "" && !in.delete:
				if out.read != value {
					return nil
				}
				return []any{value}
			case in.shown != value && out.unknown:
				return []any{value}
			case in.shown != value:
				return nil
			case out.unknown:
				return []any{value, next}
			}
			return []any{next}
		},
		Equal: func(a, b any) bool { return a == b },
		DescribeOperation: func(input, output any) string {
			return fmt.Sprintf("%+v %+v", input, output)
		},
	}
	return m.ToModel()
}

// linearizable reports whether a history is linearizable: whether every operation can have
// taken effect at one point between its call and its return.
func linearizable(t testing.TB, history []porcupine.Operation) bool {
	t.Helper()
	switch porcupine.CheckOperationsTimeout(register(), history, time.Minute) {
	case porcupine.Ok:
		return true
	case porcupine.Unknown:
		t.Fatalf("a history of %d operations could not be checked within a minute", len(history))
	}
	return false
}
