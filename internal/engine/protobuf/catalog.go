package protobuf

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:generate sh generate.sh

//go:embed messages.txt
var messagesText string

// A form is the encoding of a field's value.
type form uint8

const (
	formString form = iota
	formBytes
	formBool
	formInt
	formDouble
	formMessage
	formEither
	formTime
	formMicroTime
	formDuration
	formQuantity
	formIntOrString
	formRaw
	formStrings
)

var formNames = [...]string{
	formString: "string", formBytes: "bytes", formBool: "bool", formInt: "int", formDouble: "double",
	formMessage: "message", formEither: "either", formTime: "time", formMicroTime: "microtime",
	formDuration: "duration", formQuantity: "quantity", formIntOrString: "intstr", formRaw: "raw",
	formStrings: "strings",
}

func formOf(name string) form {
	for f, n := range formNames {
		if n == name {
			return form(f)
		}
	}
	panic("protobuf: messages.txt names the unknown type " + name)
}

// field is a field of a message. The zero field is none.
type field struct {
	name                       string
	form                       form
	message                    int
	list, keyed, inline, zeros bool
}

type kindName struct{ apiVersion, kind string }

// catalog is the parsed messages.txt.
type catalog struct {
	kinds map[kindName]int
	// messages are the fields of each message by their numbers, which are small.
	messages [][]field
}

// messages parses the catalog on first use.
var messages = sync.OnceValue(func() *catalog { return readCatalog(messagesText) })

func readCatalog(text string) *catalog {
	c := &catalog{kinds: map[kindName]int{}}
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		switch w[0] {
		case "kind":
			c.kinds[kindName{w[1], w[2]}] = number(w[3])
		case "message":
			c.messages = append(c.messages, nil)
		default:
			fields, n := &c.messages[len(c.messages)-1], number(w[0])
			for len(*fields) <= n {
				*fields = append(*fields, field{})
			}
			(*fields)[n] = readField(w[1], w[2], w[3:])
		}
	}
	return c
}

func readField(name, typ string, flags []string) field {
	typ, index, of := strings.Cut(typ, ":")
	f := field{name: name, form: formOf(typ), zeros: true}
	if of {
		f.message = number(index)
	}
	for _, flag := range flags {
		switch flag {
		case "list":
			f.list = true
		case "map":
			f.keyed = true
		case "inline":
			f.inline = true
		case "omitzero":
			f.zeros = false
		}
	}
	return f
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("protobuf: messages.txt: " + err.Error())
	}
	return n
}

// message returns the index of a kind's message, and whether there is one.
func (c *catalog) message(apiVersion, kind string) (int, bool) {
	n, ok := c.kinds[kindName{apiVersion, kind}]
	if !ok {
		n, ok = c.kinds[kindName{"*", kind}]
	}
	return n, ok
}

// field returns a field of a message, or nil if the message has none of this number.
func (c *catalog) field(message int, number uint64) *field {
	fields := c.messages[message]
	if number >= uint64(len(fields)) || fields[number].name == "" {
		return nil
	}
	return &fields[number]
}
