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
	"uid":                        "The API server gave the object this id when it was created. A request that names another one is refused; nobody can set it.",
	"resourceVersion":            "The API server sets it at every write. A request may name it to say which version it has seen: if the object has changed since, the request is refused.",
	"generation":                 "The API server counts the changes of the desired state here. What a request says of it is ignored.",
	"creationTimestamp":          "The API server set the time when the object was created. What a request says of it is ignored.",
	"deletionTimestamp":          "The API server set it when the object was deleted; the object goes when its finalizers are gone. A request cannot change it.",
	"deletionGracePeriodSeconds": "The API server set it when the object was deleted. A request cannot change it.",
	"selfLink":                   "Older API servers set it; it has no meaning any more.",
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
		out.Text = "It says which object this is. It cannot be changed, and no manager owns it."
		out.Rule = Rule{"identity fields", docs + "#field-management"}
	case out.Meaning == isServers:
		name, _ := l.Path[1].Name()
		out.Text = serverFields[name]
		out.Rule = Rule{"metadata set by the API server", apiConcepts + "#resource-versions"}
		if name != "resourceVersion" {
			out.Rule.URL = "https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/"
		}
	case out.Meaning == isStatus:
		out.Text = "Only requests to the status subresource change it. What a request for the object itself says of it is ignored."
		out.Rule = Rule{"status subresource", apiConcepts + "#standard-api-terminology"}
	case isFixed(res.Kind, res.After.Value, l.Path):
		out.Meaning = isImmutable
		out.Text = "It cannot be changed once the object exists, whoever owns it: a request with another value is refused. To change it, delete the object and create it anew."
		out.Rule = Rule{"immutable field", "https://kubernetes.io/docs/reference/kubernetes-api/"}
	case out.ruled(res.Kind, l.Path):
	case len(owners) > 1:
		out.Meaning = isShared
		out.Text = "Its owners agree on the value. An apply with another value conflicts with all of the others; the field goes when the last of them leaves it out."
		out.Rule = Rule{"shared field", docs + "#managers-sharing-fields"}
	case len(owners) == 1:
		out.owned(&owners[0])
	case len(l.Below) > 0:
		out.Meaning = isMembers
		out.Text = "What stands below has owners of its own."
		out.Rule = Rule{"merge strategy", docs + "#merge-strategy"}
	case isDefaulted(version, res, l.Path):
		out.Meaning = isDefault
		out.Text = "Nobody has asked for it: the API server filled in its default. An apply may set it without a conflict."
		out.Rule = Rule{"defaulting", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting"}
	default:
		out.Meaning = isNobodys
		out.Text = "No manager owns this field: an apply may set it without a conflict, and none removes it by leaving it out."
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
	out.Text = textOf(rule)
	out.Rule = Rule{"transition rule", "https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#transition-rules"}
	return true
}

func (out *LineOutput) owned(e *fieldmanager.Entry) {
	out.Meaning = isOwned
	out.Rule = Rule{"conflicts", docs + "#conflicts"}
	if e.Operation == fieldmanager.OperationApply {
		out.Text = e.Manager + " has applied it. An apply by somebody else with another value conflicts, with the same value shares it. It goes when " + e.Manager + " applies without it."
		return
	}
	out.Text = e.Manager + " has written it, not applied it. An apply by somebody else with another value conflicts, with the same value shares it."
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
