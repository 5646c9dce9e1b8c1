package gotype

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/patchlab-dev/patchlab/store"
)

// continueToken has the name and the fields of the type as which kube-apiserver decodes a continue token, which
// messages show.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

// continueMessage returns kube-apiserver's message for an invalid continue token. A token that only kube-apiserver
// accepts has the store's own message.
func continueMessage(e *store.TokenError) string {
	const version = "meta.k8s.io/v1"
	invalid := store.ErrInvalidContinue.Error() + ": continue key is not valid: "
	raw, err := base64.RawURLEncoding.DecodeString(e.Token)
	var token continueToken
	if err == nil {
		err = json.Unmarshal(raw, &token)
	}
	switch {
	case err != nil:
		return invalid + strings.Replace(err.Error(), "gotype.continueToken", "storage.continueToken", 1)
	case token.APIVersion != version:
		return invalid + "server does not recognize this encoded version " + token.APIVersion
	case token.ResourceVersion == 0:
		return invalid + "incorrect encoded start resourceVersion (version " + version + ")"
	case token.StartKey == "":
		return invalid + "encoded start key empty (version " + version + ")"
	}
	return e.Error()
}
