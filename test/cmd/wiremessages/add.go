package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// readCatalog reads a catalog that this command has written.
func readCatalog(text string) catalog {
	c := catalog{kinds: map[string]int{}}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "kind":
			end := strings.LastIndexByte(rest, ' ')
			c.kinds[rest[:end]] = atoi(rest[end+1:])
		case "message":
			c.messages = append(c.messages, message{name: rest})
		default:
			m := &c.messages[len(c.messages)-1]
			m.fields = append(m.fields, line)
		}
	}
	return c
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// add adds the kinds and fields of another catalog that c does not have.
func (c *catalog) add(other catalog) {
	a := addition{catalog: c, other: other, same: map[int]int{}}
	kinds := slices.Sorted(maps.Keys(other.kinds))
	for _, kind := range kinds {
		if n, ok := c.kinds[kind]; ok {
			a.fields(n, other.kinds[kind])
		}
	}
	for _, kind := range kinds {
		if _, ok := c.kinds[kind]; !ok {
			c.kinds[kind] = a.message(other.kinds[kind])
		}
	}
}

// addition adds another catalog to one. same has the index of each message of other that the
// catalog has.
type addition struct {
	*catalog
	other catalog
	same  map[int]int
}

// message returns the index of message m of the other catalog, after adding it if necessary.
func (a *addition) message(m int) int {
	n, ok := a.same[m]
	if !ok {
		n = len(a.messages)
		a.messages = append(a.messages, message{name: a.other.messages[m].name})
		a.fields(n, m)
	}
	return n
}

// fields adds the fields of message m of the other catalog to message n.
func (a *addition) fields(n, m int) {
	if _, ok := a.same[m]; ok {
		return
	}
	a.same[m] = n
	for _, line := range a.other.messages[m].fields {
		words := strings.Fields(line)
		form, index, refers := strings.Cut(words[2], ":")
		at := slices.IndexFunc(a.messages[n].fields, func(l string) bool { return strings.HasPrefix(l, words[0]+" ") })
		switch {
		case at < 0:
			if refers {
				words[2] = fmt.Sprintf("%s:%d", form, a.message(atoi(index)))
			}
			a.messages[n].fields = append(a.messages[n].fields, strings.Join(words, " ")+"\n")
			byNumber(a.messages[n].fields)
		case refers:
			_, own, _ := strings.Cut(strings.Fields(a.messages[n].fields[at])[2], ":")
			a.fields(atoi(own), atoi(index))
		}
	}
}

// byNumber sorts the lines of fields by their numbers, so that adding a catalog to itself does not
// change it.
func byNumber(fields []string) {
	number := func(line string) int {
		n, _, _ := strings.Cut(line, " ")
		return atoi(n)
	}
	slices.SortFunc(fields, func(a, b string) int { return number(a) - number(b) })
}
