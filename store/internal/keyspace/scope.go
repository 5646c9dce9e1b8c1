// Package keyspace parses keys, scopes and continue tokens for all implementations of
// store.Store.
package keyspace

import (
	"errors"
	"fmt"
	"strings"
)

// ErrInvalidKey and ErrInvalidContinue are the errors of package store.
var (
	ErrInvalidKey      = errors.New("invalid key")
	ErrInvalidContinue = errors.New("invalid continue token")
)

// A KeyError reports that a key or the text of a scope is malformed. It matches ErrInvalidKey.
type KeyError struct {
	Key, Reason string
}

func (e *KeyError) Error() string { return fmt.Sprintf("%v %q: %s", ErrInvalidKey, e.Key, e.Reason) }

// Unwrap returns ErrInvalidKey.
func (e *KeyError) Unwrap() error { return ErrInvalidKey }

// Scope is the set of keys of a list or watch: all keys with the prefix Text, or the single
// key Text.
type Scope struct {
	Text string
	One  bool
}

// ParseScope parses a scope: "" and texts that end with "/" are prefixes.
func ParseScope(text string) (Scope, error) {
	switch {
	case text == "":
		return Scope{}, nil
	case strings.HasSuffix(text, "/"):
		return Scope{Text: text}, checkSegments(text)
	}
	return Scope{Text: text, One: true}, checkSegments(text)
}

// CheckKey returns an error for a malformed key. A key must not end with "/", which denotes a
// prefix.
func CheckKey(key string) error {
	if strings.HasSuffix(key, "/") {
		return &KeyError{key, "it must not end with /"}
	}
	return checkSegments(key)
}

// checkSegments returns an error for a key that does not begin with "/" or has a segment "."
// or "..", which could refer to keys outside its prefix.
func checkSegments(key string) error {
	if key == "" || key[0] != '/' {
		return &KeyError{key, "it must begin with /"}
	}
	for rest, more := key[1:], true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if segment == "." || segment == ".." {
			return &KeyError{key, fmt.Sprintf("the segment %q is not allowed", segment)}
		}
	}
	return nil
}

// Contains reports whether key is in scope.
func (s Scope) Contains(key string) bool {
	if s.One {
		return key == s.Text
	}
	return strings.HasPrefix(key, s.Text)
}

// End returns the first key after the scope; ok is false if there is none.
func (s Scope) End() (key string, ok bool) {
	switch {
	case s.One:
		return s.Text + "\x00", true
	case s.Text == "":
		return "", false
	}
	return s.Text[:len(s.Text)-1] + "0", true // '0' is the byte after '/'
}

// EachResource calls f with the first two and then the first three segments of a key or of the text of a scope, each
// with the slash that follows them, as far as the text has them. The objects of a resource share one of these
// prefixes: /registry/pods/ or, for a custom resource, /registry/GROUP/RESOURCE/.
func EachResource(text string, f func(prefix string)) {
	slashes := 0
	for i := 0; i < len(text) && slashes < 4; i++ {
		if text[i] != '/' {
			continue
		}
		if slashes++; slashes > 2 {
			f(text[:i+1])
		}
	}
}

// EachScope calls f with the text of every scope that contains key.
func EachScope(key string, f func(text string)) {
	f("")
	for i := 0; i < len(key); i++ {
		if key[i] == '/' {
			f(key[:i+1])
		}
	}
	f(key)
}
