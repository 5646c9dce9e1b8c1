// A program for the test of slim.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

//go:noinline
func aFunctionWithALongName(n int) (text string) {
	defer func() { text = fmt.Sprint("recovered: ", recover()) }()
	return strings.Repeat("x", n)[:n+1]
}

func main() {
	done := make(chan string)
	for i := range 3 {
		go func() {
			var kept [][]byte
			for j := range 100 {
				kept = append(kept, make([]byte, 1000*j))
				if j%10 == 0 {
					runtime.GC()
				}
			}
			done <- fmt.Sprint(i, len(kept), aFunctionWithALongName(i))
		}()
	}
	total := 0
	for range 3 {
		total += len(<-done)
	}
	fmt.Println(total, aFunctionWithALongName(5))
}
