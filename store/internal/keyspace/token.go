package keyspace

import (
	"encoding/base64"
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

// A TokenError reports that a continue token is not one that Encode returned. It matches
// ErrInvalidContinue. Its message begins as that of kube-apiserver.
type TokenError struct {
	Token, Reason string
}

func (e *TokenError) Error() string {
	return ErrInvalidContinue.Error() + ": continue key is not valid: " + e.Reason
}

// Unwrap returns ErrInvalidContinue.
func (e *TokenError) Unwrap() error { return ErrInvalidContinue }

// DecodeToken parses a token that Encode returned. The error is a [*TokenError].
func DecodeToken(text string) (Token, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return Token{}, &TokenError{text, err.Error()}
	}
	version, rest, _ := strings.Cut(string(raw), ":")
	if version != tokenVersion {
		return Token{}, &TokenError{text, "server does not recognize this encoded version"}
	}
	number, start, found := strings.Cut(rest, ":")
	revision, err := strconv.ParseInt(number, 10, 64)
	if err != nil || revision != LatestRevision && revision <= 0 {
		return Token{}, &TokenError{text, "incorrect encoded start resourceVersion (version " + tokenVersion + ")"}
	}
	if !found || start == "" {
		return Token{}, &TokenError{text, "encoded start key empty (version " + tokenVersion + ")"}
	}
	return Token{Revision: revision, Start: start}, nil
}
