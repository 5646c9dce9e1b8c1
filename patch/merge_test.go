package patch_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

var mergeCases = []patchCase{
	{"a member gets another value", `{"a":1,"b":2}`, `{"a":3}`, `{"a":3,"b":2}`, nil},
	{"a new member", `{"b":1}`, `{"a":[2]}`, `{"a":[2],"b":1}`, nil},
	{"null removes", `{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`, nil},
	{"null of nothing", `{"a":1}`, `{"b":null}`, `{"a":1}`, nil},
	{"maps merge", `{"m":{"a":{"x":1},"b":2}}`, `{"m":{"a":{"y":3}}}`, `{"m":{"a":{"x":1,"y":3},"b":2}}`, nil},
	{"a map may become empty", `{"m":{"a":1}}`, `{"m":{"a":null}}`, `{"m":{}}`, nil},
	{"lists are replaced", `{"l":[1,{"a":1}]}`, `{"l":[{"b":2}]}`, `{"l":[{"b":2}]}`, nil},
	{"a map replaces a string, without nulls", `{"a":"x"}`, `{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`, nil},
	{"a string replaces a map", `{"a":{"b":1}}`, `{"a":"x"}`, `{"a":"x"}`, nil},
	{"nulls of a new map are left out at any depth", `{}`, `{"a":{"b":{"c":null},"d":null}}`, `{"a":{"b":{}}}`, nil},
	{"null items of lists stay", `{"l":[1]}`, `{"l":[null,1,[null]]}`, `{"l":[null,1,[null]]}`, nil},
	{"an empty patch", `{"a":null}`, `{}`, `{"a":null}`, nil},
	{"a null that was there stays", `{"a":null,"b":1}`, `{"b":2}`, `{"a":null,"b":2}`, nil},
	{"a stored null is replaced as if it were missing", `{"a":null}`, `{"a":{"b":null}}`, `{"a":{}}`, nil},
	{"a patch that is a list", `{}`, `[1]`, "", patch.ErrMalformed},
	{"a patch that is null", `{}`, `null`, "", patch.ErrMalformed},
	{"a patch that is a string", `{}`, `"x"`, "", patch.ErrMalformed},
}

// serverMergeCases are behaviors of kube-apiserver that deviate from RFC 7396.
var serverMergeCases = []patchCase{
	{"nulls of maps in a list are left out too", `{"l":[1]}`, `{"l":[{"a":null,"b":[{"c":null}]}]}`, `{"l":[{"b":[{}]}]}`, nil},
	{"but not where the list replaces a map", `{"l":{"x":1}}`, `{"l":[{"a":null}]}`, `{"l":[{"a":null}]}`, nil},
}

func byMerge(object, change document.Value) (document.Value, error) {
	return patch.Merge(object, change, patch.Options{})
}

func TestMerge(t *testing.T)                 { runCases(t, mergeCases, byMerge) }
func TestMergeAgreesWithServer(t *testing.T) { runCases(t, serverMergeCases, byMerge) }
