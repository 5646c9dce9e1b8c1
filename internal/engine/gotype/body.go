package gotype

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
)

// bodyMessage returns kube-apiserver's message for a body that cannot be decoded, "" if it has none of its own. It
// decodes the body into Go types as kube-apiserver does, because the message is that of encoding/json.
func bodyMessage(e *cluster.BodyError) string {
	switch {
	case e.Member != "" && e.Format == cluster.StrategicPatch:
		kind, goType := goKind(e.Value)
		return convertMessage(kind, goType, "string", "string")
	case e.Member != "":
		return typeMessage(document.NewObject().With(e.Member, e.Value).JSON())
	case e.Kind != "":
		if why := objectMessage(e); why != "" {
			return why + " (" + gotext.Summary(e.Body) + ")"
		}
	case e.Format == cluster.JSON, e.Format == cluster.YAML:
		return objectMessage(e)
	case e.Format == cluster.JSONPatch:
		return jsonPatchMessage(e)
	case e.Format == cluster.MergePatch:
		return mergePatchMessage(e)
	case e.Format == cluster.StrategicPatch:
		return unmarshalled(e.Body, new(map[string]any))
	case e.Format == cluster.ApplyPatch:
		return applyMessage(e)
	}
	return ""
}

// maxDecoded is the size in bytes of the largest text that is decoded as a whole to word its error: the values of a larger
// one could take much memory.
const maxDecoded = 64 << 10

// unmarshalled returns the error of encoding/json for a text, "" if there is none.
func unmarshalled(text []byte, into any) string {
	if len(text) > maxDecoded && json.Valid(text) {
		return ""
	}
	err := json.Unmarshal(text, into)
	if err == nil {
		return ""
	}
	return err.Error()
}

// typeMessage returns the message for a text whose apiVersion and kind cannot be read
// (k8s.io/apimachinery/pkg/runtime/serializer/json).
func typeMessage(text []byte) string {
	var typed struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(text, &typed); err != nil {
		return "couldn't get version/kind; json parse error: " + err.Error()
	}
	return ""
}

func objectMessage(e *cluster.BodyError) string {
	if e.Format != cluster.YAML {
		return typeMessage(e.Body)
	}
	doc, err := document.ParseYAML(e.Body, document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		return yamlMessage(e)
	}
	return typeMessage(doc.Root.JSON())
}

// The types into which a JSON patch is decoded, to look for unknown fields and otherwise.
type (
	jsonPatchOp struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		From  string `json:"from"`
		Value any    `json:"value"`
	}
	operation  map[string]*json.RawMessage
	operations []operation
)

// jsonPatchTypes replaces the names of these types by those in messages.
var jsonPatchTypes = strings.NewReplacer(
	"gotype.jsonPatchOp", "handlers.jsonPatchOp", "gotype.operations", "jsonpatch.Patch", "gotype.operation", "jsonpatch.Operation")

func jsonPatchMessage(e *cluster.BodyError) string {
	if e.Lenient {
		return jsonPatchTypes.Replace(unmarshalled(e.Body, new(operations)))
	}
	return decodingPatch(jsonPatchTypes.Replace(unmarshalled(e.Body, new([]jsonPatchOp))))
}

func mergePatchMessage(e *cluster.BodyError) string {
	const invalid = "Invalid JSON Patch"
	switch {
	case string(bytes.TrimSpace(e.Body)) == "null":
		return invalid
	case !e.Lenient:
		return decodingPatch(unmarshalled(e.Body, new(map[string]any)))
	case json.Unmarshal(e.Body, new([]json.RawMessage)) == nil:
		return typeMessage(e.Body) // the patched object is the list
	case json.Unmarshal(e.Body, new(map[string]json.RawMessage)) == nil:
		return ""
	}
	return invalid
}

func decodingPatch(why string) string {
	if why == "" {
		return ""
	}
	return "error decoding patch: " + why
}

func applyMessage(e *cluster.BodyError) string {
	what, _, _ := strings.Cut(e.Message, ": ")
	doc, err := document.ParseYAML(e.Body, document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		if why := yamlMessage(e); why != "" {
			return what + ": error converting YAML to JSON: " + why
		}
		return ""
	}
	return what + ": error unmarshaling JSON: while decoding JSON: " + unmarshalled(doc.Root.JSON(), new(map[string]any))
}

// yamlMessage returns the message for a text that is not valid YAML, or has values that no JSON has.
func yamlMessage(e *cluster.BodyError) (message string) {
	defer func() {
		if recover() != nil { // from the YAML library
			message = ""
		}
	}()
	var node yaml.Node
	if err := yaml.Unmarshal(e.Body, &node); err != nil {
		return err.Error()
	}
	if len(e.Body) > maxDecoded {
		return ""
	}
	if of := ofNullKey(&node); of != nil {
		value, ok := (&yamlDecoder{maxYAMLNodes}).value(of)
		if !ok {
			return ""
		}
		return fmt.Sprintf("unsupported map key of type: %%!s(<nil>), key: <nil>, value: %#v", value)
	}
	var value any
	err := node.Decode(&value)
	if types := (*yaml.TypeError)(nil); err == nil {
		_, err = json.Marshal(value)
	} else if errors.As(err, &types) {
		return ""
	}
	if unsupported := (*json.UnsupportedTypeError)(nil); err == nil || errors.As(err, &unsupported) {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "invalid map key: map[string]", "invalid map key: map[interface {}]")
}

// yamlDecoder decodes nodes into the Go values of kube-apiserver's YAML library. left is the number of nodes that it
// still decodes: aliases multiply a text, and an alias within its own anchor has no end.
type yamlDecoder struct{ left int }

// maxYAMLNodes is the maximum number of nodes of a value that a message shows.
const maxYAMLNodes = 1000

// value returns the value of a node; false for one with keys that are objects or lists, and for one with too many nodes.
func (d *yamlDecoder) value(n *yaml.Node) (value any, ok bool) {
	if d.left--; d.left < 0 {
		return nil, false
	}
	switch n.Kind {
	case yaml.AliasNode:
		return d.value(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			if list[i], ok = d.value(item); !ok {
				return nil, false
			}
		}
		return list, true
	case yaml.MappingNode:
		object := map[any]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, isKey := d.value(n.Content[i])
			if n.Content[i].Kind != yaml.ScalarNode || n.Content[i].ShortTag() == "!!merge" || !isKey {
				return nil, false
			}
			if object[key], ok = d.value(n.Content[i+1]); !ok {
				return nil, false
			}
		}
		return object, true
	}
	if n.ShortTag() == "!!timestamp" { // text for kube-apiserver
		return n.Value, true
	}
	if doc, err := document.ParseYAML([]byte(n.Value), document.Options{}); err == nil && n.Style == 0 {
		if b, ok := doc.Root.Bool(); ok { // the words of YAML 1.1, such as yes
			return b, true
		}
	}
	err := n.Decode(&value)
	return value, err == nil
}

// ofNullKey returns the value of the first key that is null, nil if there is none.
func ofNullKey(n *yaml.Node) *yaml.Node {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.ShortTag() == "!!null" {
			return n.Content[i+1]
		}
		if of := ofNullKey(child); of != nil {
			return of
		}
	}
	return nil
}
