package playground

import (
	"errors"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// paste sorts the contents of a text: a scenario, CustomResourceDefinitions and objects, from
// several documents and Lists.
func (e *Engine) paste(in *PasteInput) (*PasteOutput, error) {
	if err := tooDeep(in.Text); err != nil {
		return nil, err
	}
	docs, err := manifest.Parse("", []byte(in.Text))
	if err != nil {
		return nil, err
	}
	if len(docs) == 1 && docs[0].Root.Get("scenario").Exists() {
		s, err := parseScenario(in.Text)
		if err != nil {
			return nil, err
		}
		return &PasteOutput{Scenario: s}, nil
	}
	objects := manifest.Split(docs...)
	if len(objects) == 0 {
		return nil, errors.New("the text contains no object")
	}
	known, err := knownKinds(in.Kubernetes, in.Definitions)
	if err != nil {
		return nil, err
	}
	out := &PasteOutput{}
	texts := textsOf(in.Text, docs)
	for _, o := range objects {
		if o.IsCRD() {
			known.define(o.Value)
			out.Definitions = append(out.Definitions, PastedDefinition{Text: texts.of(o), Name: o.Value.Lookup("metadata", "name").StringOr("")})
		}
	}
	for _, o := range objects {
		if o.IsCRD() {
			continue
		}
		p, err := known.pasted(o)
		if err != nil {
			return nil, err
		}
		if p.Live || len(p.Managers) > 0 {
			p.Text = string(o.Value.YAML())
		} else {
			p.Text = texts.of(o)
		}
		out.Objects = append(out.Objects, p)
	}
	return out, nil
}

// pasted describes an object that is not a CustomResourceDefinition.
func (n *kindNames) pasted(o manifest.Object) (PastedObject, error) {
	at := o.Position()
	fail := func(reason string) (PastedObject, error) {
		return PastedObject{}, &scenario.Error{Position: at, Reason: reason}
	}
	switch {
	case strings.HasPrefix(o.Value.StringOr(""), "NAME "):
		return fail("this is a table of kubectl; print the object with -o yaml --show-managed-fields")
	case o.Value.Kind() != document.Object:
		return fail("expected a Kubernetes object, found a " + o.Value.Kind().String())
	case !o.Typed():
		return fail("apiVersion and kind are required")
	}
	v := o.Value
	p := PastedObject{Line: at.Line, Target: Target{
		APIVersion: v.Get("apiVersion").StringOr(""), Kind: o.Kind(),
		Namespace: v.Lookup("metadata", "namespace").StringOr(""), Name: v.Lookup("metadata", "name").StringOr(""),
	}}
	p.Live = v.Lookup("metadata", "uid").Exists() || v.Lookup("metadata", "resourceVersion").Exists()
	p.Known = n.has(p.Target.APIVersion, p.Target.Kind)
	switch {
	case !p.Known:
		p.Hint = n.hint(p.Target.APIVersion, p.Target.Kind)
	case o.IsEncrypted():
		p.Hint = "encrypted by SOPS; paste the output of 'sops decrypt'"
	}
	split, err := fieldmanager.Split(v)
	if err != nil {
		return fail(err.Error())
	}
	p.Managers = managerList(split.Managed)
	return p, nil
}

// starts returns the manifests that are likely for a next step on a live object: that of the
// last client-side apply, what each manager has applied, and one with only the object's name.
func (e *Engine) starts(in *StartsInput) (*StartsOutput, error) {
	res, err := e.result(&in.Scenario, 0, in.Object)
	if err != nil {
		return nil, err
	}
	out := &StartsOutput{}
	live := res.After
	if last, ok := live.Value.Lookup("metadata", "annotations").MemberText(patch.LastApplied); ok && tooDeep(last) == nil {
		if d, err := document.ParseYAML([]byte(last), document.Options{}); err == nil && d.Root.Kind() == document.Object {
			out.Steps = append(out.Steps, Step{Actor: "kubectl-client-side-apply", Do: string(scenario.ClientApply), Body: string(d.Root.YAML())})
		}
	}
	for _, entry := range live.Managed.Entries() {
		if entry.Operation != fieldmanager.OperationApply || entry.Subresource != "" {
			continue
		}
		applied, err := configuration(e.last.runner, res.Kind, live, live.Value, entry.Manager)
		if err != nil {
			continue // its fields do not match the type
		}
		out.Steps = append(out.Steps, Step{Actor: entry.Manager, Do: string(scenario.Apply), Body: string(applied.YAML())})
	}
	named := document.NewObject()
	for _, keys := range [...][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		named = named.Set(live.Value.Lookup(keys...), keys...)
	}
	out.Steps = append(out.Steps, Step{Do: string(scenario.Apply), Body: string(named.YAML())})
	return out, nil
}

// kindNames are the known kinds by name.
type kindNames struct {
	catalog *schema.Catalog
	custom  map[schema.GroupVersionKind]bool
}

func knownKinds(kubernetes string, definitions []string) (*kindNames, error) {
	catalog, err := schema.Builtin(kubernetes)
	if err != nil {
		return nil, err
	}
	n := &kindNames{catalog: catalog, custom: map[schema.GroupVersionKind]bool{}}
	for _, text := range definitions {
		docs, err := manifest.Parse("", []byte(text))
		if err != nil {
			continue // shown with the definition
		}
		for _, o := range manifest.Split(docs...) {
			n.define(o.Value)
		}
	}
	return n, nil
}

// define adds the kind of a CustomResourceDefinition, which is validated when it is used.
func (n *kindNames) define(crd document.Value) {
	group, kind := crd.Lookup("spec", "group").StringOr(""), crd.Lookup("spec", "names", "kind").StringOr("")
	for _, v := range crd.Lookup("spec", "versions").Items() {
		n.custom[schema.GroupVersionKind{Group: group, Version: v.Get("name").StringOr(""), Kind: kind}] = true
	}
}

func (n *kindNames) has(apiVersion, kind string) bool {
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok {
		return false
	}
	gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
	_, builtin := n.catalog.Kind(gvk)
	return builtin || n.custom[gvk]
}

// hint suggests a kind for an unknown one, or names the source of its definition.
func (n *kindNames) hint(apiVersion, kind string) string {
	group, _, _ := schema.SplitAPIVersion(apiVersion)
	if group == "kustomize.config.k8s.io" {
		return "a kustomize file; paste the output of kustomize build"
	}
	if versions := n.versions(kind); len(versions) > 0 {
		return kind + " is served in " + strings.Join(versions, ", ") + ", not in " + apiVersion
	}
	near := schema.Nearest(kind, func(yield func(string) bool) {
		for k := range n.catalog.Kinds() {
			if !yield(k.Kind) {
				return
			}
		}
		for k := range n.custom {
			if !yield(k.Kind) {
				return
			}
		}
	})
	if near != "" {
		return "did you mean " + near + " (" + strings.Join(n.versions(near), ", ") + ")?"
	}
	definition := plural(kind) + "." + group
	if !strings.Contains(group, ".") || names.DNSSubdomain(definition) != "" { // which a shell could interpret
		return ""
	}
	return "a custom resource needs its CustomResourceDefinition: kubectl get crd " + definition + " -o yaml"
}

// versions returns the apiVersions that have a kind, in the order of the catalog.
func (n *kindNames) versions(kind string) []string {
	var out []string
	for k := range n.catalog.Kinds() {
		if k.Kind == kind && !k.OffByDefault {
			out = append(out, k.APIVersion())
		}
	}
	for k := range n.custom {
		if k.Kind == kind {
			out = append(out, k.APIVersion())
		}
	}
	return out
}

// plural guesses the resource name of a kind, as code generators do.
func plural(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"), strings.HasSuffix(name, "sh"):
		return name + "es"
	case len(name) > 1 && strings.HasSuffix(name, "y") && !strings.ContainsRune("aeiou", rune(name[len(name)-2])):
		return name[:len(name)-1] + "ies"
	}
	return name + "s"
}

// notServed returns a note for each entry of managedFields in a version that the kind is
// not served in: the API server removes the entry with the next change, and its manager
// owns nothing from then on.
func notServed(s *Scenario, x *scenario.Existing) []string {
	var notes []string
	var known *kindNames
	for _, e := range x.Object.Managed.Entries() {
		if e.APIVersion == x.Target.APIVersion {
			continue
		}
		if known == nil {
			var err error
			if known, err = knownKinds(s.Kubernetes, s.Definitions); err != nil || !known.has(x.Target.APIVersion, x.Target.Kind) {
				return nil
			}
		}
		if !known.has(e.APIVersion, x.Target.Kind) {
			notes = append(notes, "The managedFields entry of "+e.Manager+" uses "+e.APIVersion+", a version in which "+x.Target.Kind+" is not served. The API server removes the entry with the next change, so "+e.Manager+" owns nothing from then on.")
		}
	}
	return notes
}
