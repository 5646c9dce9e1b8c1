package playground

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// The meanings of a field for those who would change it.
const (
	isIdentity  = "identity"
	isServers   = "server"
	isStatus    = "status"
	isImmutable = "immutable"
	isDefault   = "default"
	isOwned     = "owned"
	isShared    = "shared"
	isMembers   = "members"
	isNobodys   = "nobody"
	docs        = "https://kubernetes.io/docs/reference/using-api/server-side-apply/"
	apiConcepts = "https://kubernetes.io/docs/reference/using-api/api-concepts/"
)

// serverFields are the metadata fields that the API server sets, each with its treatment of a
// request that contains the field.
var serverFields = map[string]string{
	"uid":                        "The API server sets it when the object is created. It cannot be changed: a request with a different value is refused.",
	"resourceVersion":            "The API server sets it with every write. A request that contains it is refused if the object has changed since that version.",
	"generation":                 "The API server increments it when the desired state changes. A value in a request is ignored.",
	"creationTimestamp":          "The API server sets it when the object is created. A value in a request is ignored.",
	"deletionTimestamp":          "The API server sets it when the object is deleted. The object is removed when it has no finalizers left. An update cannot change it.",
	"deletionGracePeriodSeconds": "The API server sets it when the object is deleted. An update cannot change it.",
	"selfLink":                   "Set by older API servers. It has no meaning any more.",
}

// fixedMeaning returns the meaning of a field that is determined by its path, "" if it depends
// on its owners.
func fixedMeaning(k *schema.Kind, p document.Path) string {
	if len(p) == 0 {
		return ""
	}
	switch first, _ := p[0].Name(); {
	case len(p) == 1 && (first == "apiVersion" || first == "kind"):
		return isIdentity
	case first == "status" && k != nil && k.Status:
		return isStatus
	case first == "metadata" && len(p) == 2:
		second, _ := p[1].Name()
		switch {
		case second == "name", second == "namespace":
			return isIdentity
		case serverFields[second] != "":
			return isServers
		}
	}
	return ""
}

// describe sets the meaning of a line's field and its consequences.
func (out *LineOutput) describe(version string, res *scenario.Result, l *explain.Line, owners []fieldmanager.Entry) {
	out.Meaning = fixedMeaning(res.Kind, l.Path)
	switch {
	case out.Meaning == isIdentity:
		out.Text = "It identifies the object. It cannot be changed, and no manager owns it."
		out.Rule = Rule{"identity fields", docs + "#field-management"}
	case out.Meaning == isServers:
		name, _ := l.Path[1].Name()
		out.Text = serverFields[name]
		out.Rule = Rule{"metadata set by the API server", apiConcepts + "#resource-versions"}
		if name != "resourceVersion" {
			out.Rule.URL = "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/"
		}
	case out.Meaning == isStatus:
		out.Text = "Only requests for the status subresource change it. In a request for the object itself, it is ignored."
		out.Rule = Rule{"status subresource", apiConcepts + "#standard-api-terminology"}
	case isFixed(res.Kind, res.After.Value, l.Path):
		out.Meaning = isImmutable
		out.Text = "It cannot be changed after creation, whoever owns it: a request with a different value is refused. To change it, delete the object and create it again."
		out.Rule = Rule{"immutable field", "https://kubernetes.io/docs/reference/kubernetes-api/"}
	case out.ruled(res.Kind, l.Path):
	case len(owners) > 1:
		out.Meaning = isShared
		out.Text = "All of its owners set this value. An apply with a different value conflicts with the other owners. The field is removed when its last owner leaves it out."
		out.Rule = Rule{"shared field", docs + "#managers-sharing-fields"}
	case len(owners) == 1:
		out.owned(&owners[0])
	case len(l.Below) > 0:
		out.Meaning = isMembers
		out.Text = "The fields in it have owners of their own."
		out.Rule = Rule{"merge strategy", docs + "#merge-strategy"}
	case isDefaulted(version, res, l.Path):
		out.Meaning = isDefault
		out.Text = "No manager set it: the API server filled in its default. An apply can set it without a conflict."
		out.Rule = Rule{"defaulting", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting"}
	default:
		out.Meaning = isNobodys
		out.Text = "No manager owns it. An apply can set it without a conflict, and cannot remove it by leaving it out."
		out.Rule = Rule{"field management", docs + "#field-management"}
	}
}

// ruled describes a field that a CEL rule of a custom resource definition makes immutable,
// and reports whether it is one.
func (out *LineOutput) ruled(k *schema.Kind, p document.Path) bool {
	if k == nil || k.Builtin {
		return false
	}
	rule := transitionRule(k.Type(), p)
	if rule == nil {
		return false
	}
	out.Meaning = isImmutable
	out.Text = transitionText(rule)
	out.Rule = Rule{"transition rule", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#transition-rules"}
	return true
}

func (out *LineOutput) owned(e *fieldmanager.Entry) {
	out.Meaning = isOwned
	out.Rule = Rule{"conflicts", docs + "#conflicts"}
	const others = " An apply by another manager conflicts if it has a different value, and shares the field if it has the same value."
	if e.Operation == fieldmanager.OperationApply {
		out.Text = e.Manager + " applied it." + others + " If " + e.Manager + " leaves it out of its next apply, it is removed."
		return
	}
	out.Text = e.Manager + " set it with an update or a patch." + others
}

// isDefaulted reports whether the field's value is its default.
func isDefaulted(version string, res *scenario.Result, p document.Path) bool {
	live := res.After.Value.Follow(p)
	if res.Kind == nil || !live.Exists() {
		return false
	}
	if d := declaredDefault(res.Kind.Type(), p); d.Exists() {
		return document.Identical(d, live)
	}
	rules, err := defaults.For(version)
	if err != nil || !res.Kind.Builtin {
		return false
	}
	without := explain.Drop(res.Kind.Type(), res.After.Value, p)
	return document.Identical(rules.Apply(res.Kind, without, defaults.Options{}).Follow(p), live)
}

// declaredDefault returns the default in the schema of the field at a path, absent if there is
// none.
func declaredDefault(t *schema.Type, p document.Path) document.Value {
	if len(p) == 0 {
		return document.Value{}
	}
	name, isField := p[len(p)-1].Name()
	within := t.At(p[:len(p)-1])
	if !isField || within == nil {
		return document.Value{}
	}
	if f := within.Map.Field(name); f != nil {
		return f.DefaultValue()
	}
	return document.Value{}
}
