package keyspace

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// tokenVersion begins every continue token, so that a later form can be told
// from this one.
const tokenVersion = "v1"

// LatestRevision in a token continues with the latest state, because the
// revision that the list began with was compacted.
const LatestRevision = -1

// Token is the place where a list continues: the keys of the scope not less than
// the scope's text followed by Start, at a revision.
type Token struct {
	Revision int64
	Start    string
}

// Encode returns the token's text: opaque to clients and safe in a URL. The
// start is kept relative to the scope, so that a token cannot lead out of the
// scope that it is used with.
func (t Token) Encode() string {
	raw := tokenVersion + ":" + strconv.FormatInt(t.Revision, 10) + ":" + t.Start
	return base64.RawURLEncoding.EncodeToString([]byte(raw))
}

// DecodeToken reads what Encode wrote.
func DecodeToken(text string) (Token, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return Token{}, fmt.Errorf("%w: it is not base64", ErrInvalidContinue)
	}
	version, rest, _ := strings.Cut(string(raw), ":")
	if version != tokenVersion {
		return Token{}, fmt.Errorf("%w: its version is not known", ErrInvalidContinue)
	}
	number, start, found := strings.Cut(rest, ":")
	revision, err := strconv.ParseInt(number, 10, 64)
	if err != nil || revision != LatestRevision && revision <= 0 {
		return Token{}, fmt.Errorf("%w: it has no revision", ErrInvalidContinue)
	}
	if !found || start == "" {
		return Token{}, fmt.Errorf("%w: it has no start key", ErrInvalidContinue)
	}
	return Token{Revision: revision, Start: start}, nil
}
