package store

import (
	"fmt"
	"strings"
)

// scope is the set of keys that a list or a watch is about: all that begin
// with prefix, or one.
type scope struct {
	text string
	one  bool
}

// newScope reads a scope: "" and what ends with "/" are prefixes.
func newScope(text string) (scope, error) {
	switch {
	case text == "":
		return scope{}, nil
	case strings.HasSuffix(text, "/"):
		return scope{text: text}, checkSegments(text)
	}
	return scope{text: text, one: true}, checkSegments(text)
}

// checkKey refuses what is no key; one that ends with "/" would be taken for a
// prefix.
func checkKey(key string) error {
	if strings.HasSuffix(key, "/") {
		return fmt.Errorf("%w %q: it ends with /", ErrInvalidKey, key)
	}
	return checkSegments(key)
}

// checkSegments refuses what does not begin with "/" or has a segment "." or
// "..", so that no name can lead out of its prefix.
func checkSegments(key string) error {
	if key == "" || key[0] != '/' {
		return fmt.Errorf("%w %q: it does not begin with /", ErrInvalidKey, key)
	}
	for rest, more := key[1:], true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if segment == "." || segment == ".." {
			return fmt.Errorf("%w %q: the segment %q is not allowed", ErrInvalidKey, key, segment)
		}
	}
	return nil
}

// contains tells whether key is in scope.
func (s scope) contains(key string) bool {
	if s.one {
		return key == s.text
	}
	return strings.HasPrefix(key, s.text)
}

// end returns the first key behind the scope; ok is false if there is none.
func (s scope) end() (key string, ok bool) {
	switch {
	case s.one:
		return s.text + "\x00", true
	case s.text == "":
		return "", false
	}
	return s.text[:len(s.text)-1] + "0", true // '0' is the byte after '/'
}

// eachScope calls f with the text of every scope that contains key.
func eachScope(key string, f func(text string)) {
	f("")
	for i := 0; i < len(key); i++ {
		if key[i] == '/' {
			f(key[:i+1])
		}
	}
	f(key)
}
