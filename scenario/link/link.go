// Package link encodes scenarios as links to the playground and decodes them.
//
// A link ends in a fragment, which browsers do not send to servers: "#v1=" and the state of
// the page as JSON, {"scenario": …, "at": …}, compressed with deflate (RFC 1951) and
// encoded as base64url (RFC 4648, section 5). The page keeps expectations and races but
// does not run them.
package link

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/scenario"
)

// prefix is the beginning of a fragment.
const prefix = "#v1="

// ErrInvalid is the cause of all errors in a link's text.
var ErrInvalid = errors.New("invalid link")

// Encode returns a link to the page at a URL that shows a scenario after its first at
// steps; with 0, before the first step.
func Encode(page string, s *scenario.Scenario, at int) (string, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	state := `{"scenario":` + string(s.JSON()) + `,"at":` + strconv.Itoa(at) + `}`
	if len(state) > scenario.MaxBytes {
		return "", fmt.Errorf("%w: the scenario has %d MiB, and a link holds at most %d", ErrInvalid, len(state)>>20, scenario.MaxBytes>>20)
	}
	if _, err = w.Write([]byte(state)); err == nil {
		err = w.Close()
	}
	page, _, _ = strings.Cut(page, "#")
	return page + prefix + base64.RawURLEncoding.EncodeToString(packed.Bytes()), err
}

// Is reports whether a text is a link to the playground or the fragment of one.
func Is(text string) bool { return strings.Contains(text, prefix) }

// Decode returns the scenario in a link or fragment and the number of steps that it shows.
// An error wraps ErrInvalid or scenario.ErrInvalid.
func Decode(link string) (s *scenario.Scenario, at int, err error) {
	_, text, ok := strings.Cut(link, prefix)
	if !ok {
		return nil, 0, fmt.Errorf("%w: it has no %s", ErrInvalid, prefix)
	}
	packed, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, 0, damaged(err)
	}
	state, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), scenario.MaxBytes+1))
	if err != nil {
		return nil, 0, damaged(err)
	}
	d, err := document.Parse(state, document.Options{MaxBytes: scenario.MaxBytes})
	if err != nil {
		return nil, 0, damaged(err)
	}
	steps, _ := d.Root.Get("at").Int()
	value := d.Root.Get("scenario")
	if value.Kind() != document.Object {
		return nil, 0, fmt.Errorf("%w: it contains no scenario", ErrInvalid)
	}
	if s, err = scenario.Parse(value.With("scenario", document.NewString(scenario.Version)).JSON(), ""); err != nil {
		return nil, 0, err
	}
	return s, min(max(int(steps), 0), len(s.Steps)), nil
}

func damaged(err error) error {
	return fmt.Errorf("%w: it is truncated or damaged: %w", ErrInvalid, err)
}
