// A program for the test of slim.
package main

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

//go:noinline
func aFunctionWithALongName(n int) (text string) {
	defer func() { text = fmt.Sprint("recovered: ", recover()) }()
	return strings.Repeat("x", n)[:n+1]
}

type word string

func (w word) String() string { return string(w) }

// noWord calls a method that a nil pointer has no value for.
func noWord() (ended bool) {
	defer func() { ended = recover() != nil }()
	var nobody *word
	return text(nobody) == ""
}

//go:noinline
func text(of fmt.Stringer) string { return of.String() }

// reflected makes functions of reflect's and collects garbage while they run,
// with arguments that only their frames hold.
func reflected(n int) string {
	collect := func(args []reflect.Value) []reflect.Value {
		var kept []string
		for i := range 20 {
			kept = append(kept, strings.Repeat("y", 1000*i))
			runtime.GC()
		}
		return []reflect.Value{reflect.ValueOf(fmt.Sprint(args[0].Elem(), len(kept)))}
	}
	made := reflect.MakeFunc(reflect.TypeFor[func(*string) string](), collect).Interface().(func(*string) string)
	argument := strings.Repeat("z", n)
	method := reflect.ValueOf(word(argument)).MethodByName("String").Interface().(func() string)
	return made(&argument) + method()
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
	fmt.Println(total, aFunctionWithALongName(5), noWord(), reflected(7), runtime.NumGoroutine())
}
