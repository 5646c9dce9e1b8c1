package store

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// tokenVersion begins every continue token, so that a later form can be told
// from this one.
const tokenVersion = "v1"

// latestRevision stands in a token that goes on with whatever is the latest
// state, because the one it began with was compacted.
const latestRevision = -1

// token says where a list goes on: with the keys of the scope not less than
// scope+start, in the state of a revision.
type token struct {
	revision int64
	start    string
}

// encode returns the token's text: opaque to clients and safe in a URL. The
// start is kept relative to the scope, so that a token cannot lead out of the
// scope that it is used with.
func (t token) encode() string {
	raw := tokenVersion + ":" + strconv.FormatInt(t.revision, 10) + ":" + t.start
	return base64.RawURLEncoding.EncodeToString([]byte(raw))
}

func decodeToken(text string) (token, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return token{}, fmt.Errorf("%w: it is not base64", ErrInvalidContinue)
	}
	version, rest, _ := strings.Cut(string(raw), ":")
	if version != tokenVersion {
		return token{}, fmt.Errorf("%w: its version is not known", ErrInvalidContinue)
	}
	number, start, found := strings.Cut(rest, ":")
	revision, err := strconv.ParseInt(number, 10, 64)
	if err != nil || revision != latestRevision && revision <= 0 {
		return token{}, fmt.Errorf("%w: it has no revision", ErrInvalidContinue)
	}
	if !found || start == "" {
		return token{}, fmt.Errorf("%w: it has no start key", ErrInvalidContinue)
	}
	return token{revision: revision, start: start}, nil
}
