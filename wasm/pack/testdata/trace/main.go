// Command trace uses what the runtime reads from the function table: it collects garbage while
// pointers are live on a deep stack, grows the stack, counts goroutines, recovers from a panic of a method of a nil pointer and
// from one with deferred calls, and prints the stack trace.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

type node struct {
	next  *node
	value int
}

func main() {
	fmt.Println("sum", sum(20_000))
	fmt.Println("goroutines", runtime.NumGoroutine())
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		print(none)
	}()
	defer func() {
		fmt.Println("recovered", recover())
		os.Stdout.Write(debug.Stack())
	}()
	fail(nil)
}

func (n node) String() string { return "node" }

// none is a variable so that the compiler does not know the type of the receiver.
var none fmt.Stringer = (*node)(nil)

func print(s fmt.Stringer) { fmt.Println(s.String()) }

// sum adds up a list whose nodes only the stack holds.
func sum(depth int) int {
	n := &node{value: depth}
	if depth == 0 {
		runtime.GC()
		return 0
	}
	if depth%5_000 == 0 {
		runtime.GC()
	}
	rest := sum(depth - 1)
	n.next = &node{value: rest}
	return n.value + n.next.value
}

func fail(n *node) int {
	defer fmt.Println("deferred")
	return n.value
}
