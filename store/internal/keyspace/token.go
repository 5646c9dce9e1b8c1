package keyspace

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// tokenVersion is the prefix of every continue token. It identifies the format.
const tokenVersion = "v1"

// LatestRevision is the revision of a token that continues with the latest state, because the
// revision of the list was compacted.
const LatestRevision = -1

// Token is the position at which a list continues: at Revision, with the keys from the scope's
// text followed by Start.
type Token struct {
	Revision int64
	Start    string
}

// Encode returns the token in a form that is opaque to clients and safe in a URL. Start is
// relative to the scope, so that a token cannot refer to keys outside the scope that it is
// used with.
func (t Token) Encode() string {
	raw := tokenVersion + ":" + strconv.FormatInt(t.Revision, 10) + ":" + t.Start
	return base64.RawURLEncoding.EncodeToString([]byte(raw))
}

// DecodeToken parses a token that Encode returned. Its errors begin as those of kube-apiserver.
func DecodeToken(text string) (Token, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return Token{}, fmt.Errorf("%w: continue key is not valid: %w", ErrInvalidContinue, err)
	}
	version, rest, _ := strings.Cut(string(raw), ":")
	if version != tokenVersion {
		return Token{}, fmt.Errorf("%w: continue key is not valid: server does not recognize this encoded version", ErrInvalidContinue)
	}
	number, start, found := strings.Cut(rest, ":")
	revision, err := strconv.ParseInt(number, 10, 64)
	if err != nil || revision != LatestRevision && revision <= 0 {
		return Token{}, fmt.Errorf("%w: continue key is not valid: incorrect encoded start resourceVersion (version %s)", ErrInvalidContinue, tokenVersion)
	}
	if !found || start == "" {
		return Token{}, fmt.Errorf("%w: continue key is not valid: encoded start key empty (version %s)", ErrInvalidContinue, tokenVersion)
	}
	return Token{Revision: revision, Start: start}, nil
}
