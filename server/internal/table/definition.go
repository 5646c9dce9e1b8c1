package table

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// changedColumns returns the columns of a built-in resource for which Kubernetes 1.37 has other columns than
// before, nil for the others.
func changedColumns(group, resource string) []Column {
	switch resource + "." + group {
	case "customresourcedefinitions.apiextensions.k8s.io":
		return definitionColumns()
	case "storageversionmigrations.storagemigration.k8s.io":
		return migrationColumns()
	}
	return nil
}

func definitionColumns() []Column {
	shortNames := func(o Object) string { return strings.Join(o.at("spec", "names", "shortNames").Strings(), ",") }
	established := Column{Name: "Established", Type: "boolean", Cell: func(o Object) document.Value {
		return document.NewBool(trueCondition(o, "Established") != "")
	}}
	return []Column{nameColumn(), field("Scope", "", "spec", "scope"), textColumn("Versions", servedVersions), createdColumn(),
		wide(field("Group", "", "spec", "group")), wide(field("Kind", "", "spec", "names", "kind")), wide(textColumn("ShortNames", shortNames)),
		wide(established)}
}

// servedVersions returns the sorted names of the versions that a definition serves; the stored one is marked.
func servedVersions(o Object) string {
	var versions []string
	for _, v := range o.at("spec", "versions").Items() {
		if served, _ := v.Get("served").Bool(); !served {
			continue
		}
		name := v.Get("name").StringOr("")
		if stored, _ := v.Get("storage").Bool(); stored {
			name += "(storage)"
		}
		versions = append(versions, name)
	}
	slices.Sort(versions)
	return strings.Join(versions, ",")
}

func migrationColumns() []Column {
	name := nameColumn()
	name.Format = ""
	return []Column{name, textColumn("Resource", func(o Object) string {
		resource, group := o.text("spec", "resource", "resource"), o.text("spec", "resource", "group")
		if group == "" {
			return resource
		}
		return resource + "." + group
	}), textColumn("Status", func(o Object) string { return or(trueCondition(o, "Running", "Failed", "Succeeded"), "Unknown") })}
}

// trueCondition returns the type of the last condition with one of the given types that is true, "" for none.
func trueCondition(o Object, types ...string) string {
	found := ""
	for _, c := range o.at("status", "conditions").Items() {
		if kind := c.Get("type").StringOr(""); c.Get("status").StringOr("") == "True" && slices.Contains(types, kind) {
			found = kind
		}
	}
	return found
}
