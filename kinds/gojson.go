//go:build !js

package kinds

import (
	"encoding/json"
	"strings"
	"time"
)

// The Go types into which kube-apiserver decodes annotations. Their names and those of their fields are in the messages
// of encoding/json.
type (
	tolerationType struct {
		Key               string
		Operator          tolerationOperator
		Value             string
		Effect            taintEffect
		TolerationSeconds *int64
	}
	taintType struct {
		Key, Value string
		Effect     taintEffect
		TimeAdded  *goTime
	}
	avoidPodsType struct {
		PreferAvoidPods []preferAvoidPodsEntry `json:"preferAvoidPods"`
	}
	preferAvoidPodsEntry struct {
		PodSignature podSignature `json:"podSignature"`
		EvictionTime goTime       `json:"evictionTime"`
		Reason       string       `json:"reason"`
		Message      string       `json:"message"`
	}
	podSignature struct {
		PodController *ownerReference `json:"podController"`
	}
	ownerReference struct {
		APIVersion         string `json:"apiVersion"`
		Kind               string `json:"kind"`
		Name               string `json:"name"`
		UID                goUID  `json:"uid"`
		Controller         *bool  `json:"controller"`
		BlockOwnerDeletion *bool  `json:"blockOwnerDeletion"`
	}
	tolerationOperator string
	taintEffect        string
	goUID              string
	goTime             struct{}
)

// UnmarshalJSON returns the error of metav1.Time.
func (goTime) UnmarshalJSON(text []byte) error {
	var s *string
	if err := json.Unmarshal(text, &s); err != nil || s == nil {
		return err
	}
	_, err := time.Parse(time.RFC3339, *s)
	return err
}

// goTypeNames replaces the names of these types by those of kube-apiserver.
var goTypeNames = strings.NewReplacer(
	"kinds.tolerationType", "core.Toleration", "tolerationType.", "Toleration.", "kinds.tolerationOperator", "core.TolerationOperator",
	"kinds.taintType", "core.Taint", "taintType.", "Taint.", "kinds.taintEffect", "core.TaintEffect",
	"kinds.avoidPodsType", "v1.AvoidPods", "avoidPodsType.", "AvoidPods.",
	"kinds.preferAvoidPodsEntry", "v1.PreferAvoidPodsEntry", "preferAvoidPodsEntry.", "PreferAvoidPodsEntry.",
	"kinds.podSignature", "v1.PodSignature", "field podSignature.", "field PodSignature.",
	"kinds.ownerReference", "v1.OwnerReference", "ownerReference.", "OwnerReference.",
	"kinds.goUID", "types.UID", "kinds.goTime", "v1.Time",
)

// maxJSONText is the size in bytes of the largest text whose error encoding/json words. Decoding a larger one could take
// much memory.
const maxJSONText = 64 << 10

// jsonError returns the message of encoding/json for a text that is not of the given type, otherwise if it has none.
func jsonError(text string, of *jsonType, otherwise string) string {
	if len(text) > maxJSONText {
		return otherwise
	}
	var err error
	switch of {
	case &tolerationList:
		err = json.Unmarshal([]byte(text), new([]tolerationType))
	case &taintList:
		err = json.Unmarshal([]byte(text), new([]taintType))
	case &avoidPods:
		err = json.Unmarshal([]byte(text), new(avoidPodsType))
	default:
		err = json.Unmarshal([]byte(text), new(map[string]any))
	}
	if err == nil {
		return otherwise
	}
	return goTypeNames.Replace(err.Error())
}
