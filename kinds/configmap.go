package kinds

import (
	"encoding/base64"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// configMapStrategy is the strategy of v1 ConfigMap.
var configMapStrategy = Strategy{
	Resource:      "configmaps",
	metadataAgain: changeFirst,
	Name:          subdomainName,
}

// MaxData is the maximum size of the data of a ConfigMap or Secret, in bytes.
const MaxData = 1 << 20

func validateConfigMap(c *check, object, old field) {
	data, binary := object.get("data"), object.get("binaryData")
	c.sealed(object, old, "binaryData", "data")
	c.metadataAt = len(c.errs)
	size := 0
	for i := range data.members() {
		entry, key := data.memberAt(i)
		c.dataKey(entry, key)
		if binary.Get(key).Exists() {
			c.invalidText(entry, key, "duplicate of key present in binaryData")
		}
		size += len(entry.text())
	}
	for i := range binary.members() {
		entry, key := binary.memberAt(i)
		c.dataKey(entry, key)
		size += DecodedLen(entry.text())
	}
	if size > MaxData {
		c.tooLong(object.getAs("", "[]"), MaxData) // kube-apiserver reports an empty path
	}
}

// dataKey validates a key in the data of a ConfigMap or Secret.
func (c *check) dataKey(entry field, key string) {
	if why := names.ConfigMapKey(key); why != "" {
		c.unmetText(entry, key, why)
	}
}

// sealed requires that the content of an immutable object does not change: the map exact, where
// an empty one differs from none and is not stored, and others, which are empty by default.
func (c *check) sealed(object, old field, exact string, others ...string) {
	if !old.get("immutable").isTrue() {
		return
	}
	const why = "field is immutable when `immutable` is set"
	if still := object.get("immutable"); !still.isTrue() {
		c.forbiddenChange(still, why)
	}
	for _, name := range append(others, exact) {
		if part := object.get(name); !c.same(part, old.get(name)) || name == exact && part.wasEmpty() {
			c.forbiddenChange(part, why)
		}
	}
}

// DecodedLen returns the length of the data that a base64 text encodes.
func DecodedLen(text string) int {
	return base64.StdEncoding.DecodedLen(len(text)) - strings.Count(text[max(0, len(text)-2):], "=")
}
