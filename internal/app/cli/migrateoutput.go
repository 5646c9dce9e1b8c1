package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
)

// unguarded is the warning about a patch that does not require a resourceVersion.
const unguarded = "the object has no resourceVersion, so the API server will not refuse the patch if the object has changed in the meantime"

// printPatch prints the patch of the only object.
func (m *migrating) printPatch(object *patchlab.Object, migration *explain.Migration, p document.Value) {
	if !migration.Needed() {
		m.app.Note(m.title(object) + ": " + m.nothing(object, migration))
	} else if m.o.output == "patch" && !hasVersion(migration) {
		m.app.Note("Warning: " + unguarded)
	}
	m.app.Print(p.String() + "\n")
}

// printTargeted prints the patch of one of several objects as a line with its target, unless it
// would change nothing.
func (m *migrating) printTargeted(object *patchlab.Object, migration *explain.Migration) error {
	if !migration.Needed() {
		m.unneeded.Add(m.nothing(object, migration), results.TargetOf(object.Value), document.Position{})
		return nil
	}
	if !hasVersion(migration) {
		m.app.Note("Warning: " + m.title(object) + ": " + unguarded)
	}
	text, err := targetedPatch(results.TargetOf(object.Value), typeName(patchlab.ActionJSONPatch), migration.Patch())
	m.app.Print(string(text))
	return err
}

func hasVersion(migration *explain.Migration) bool {
	return migration.Before.Value.Lookup("metadata", "resourceVersion").Exists()
}

// text returns the migration as text.
func (m *migrating) text(object *patchlab.Object, migration *explain.Migration, next nextApply) string {
	var b strings.Builder
	b.WriteString(m.title(object) + ": ")
	if !migration.Needed() {
		return b.String() + m.nothing(object, migration) + "\n"
	}
	fmt.Fprintf(&b, "%s to %s\n\nManagers to fold:\n", terminal.AndList(migration.From), migration.To)
	for _, e := range migration.Folded {
		fmt.Fprintf(&b, "  %s: %s\n", entryText(e), terminal.Count(e.Fields.Leaves().Len(), "field is transferred", "fields are transferred")+" to "+migration.To)
	}
	for _, e := range migration.Lost {
		fmt.Fprintf(&b, "  %s: removed without transferring its fields, because %s has an entry in another version\n", entryText(e), migration.To)
	}
	var others []string
	for _, from := range migration.From {
		if !slices.Contains(updatersOf(object), from) {
			others = append(others, from)
		}
	}
	if len(others) > 0 {
		b.WriteString("  " + notUpdatedMessage(object, others) + "\n")
	}
	m.stuckText(&b, migration)
	m.nextText(&b, migration, next)
	m.migrated = append(m.migrated, migrated{
		resource:  program.ShellQuote(results.ResourceLine(object.Kind, object.Value.Lookup("metadata", "name").StringOr(""))),
		namespace: object.Value.Lookup("metadata", "namespace").StringOr(""),
		version:   migration.Before.Value.Lookup("metadata", "resourceVersion").StringOr(""),
	})
	return b.String()
}

// migrated is an object whose migration was printed.
type migrated struct{ resource, namespace, version string }

// commands returns the commands that send the patches of the objects that were printed, and those that
// revert them.
func (m *migrating) commands() string {
	switch len(m.migrated) {
	case 0:
		return ""
	case 1:
		one := m.migrated[0]
		guard := "it is not protected against concurrent changes, because the object has no resourceVersion"
		if one.version != "" {
			guard = "the API server refuses it (409) unless the resourceVersion of the object is " + one.version
		}
		return "\nThe patch; " + guard + ":\n  " + m.send(one.resource, one.namespace, " -o patch", "\n    ") + printVersion + "\n" +
			"\nThe patch that reverts it, with the resourceVersion that this command prints and the copy of the object before the migration:\n  " +
			m.send(one.resource, one.namespace, " -o back --resource-version RV", "\n    ") + "\n"
	}
	var b strings.Builder
	guard := "the API server refuses each (409) if its object has changed in the meantime"
	if slices.ContainsFunc(m.migrated, func(one migrated) bool { return one.version == "" }) {
		guard += ", except one without a resourceVersion"
	}
	b.WriteString("\nThe patches; " + guard + ":\n")
	groups := m.byNamespace()
	for _, in := range groups {
		b.WriteString(loopOver(in) + "; do\n    echo \"$object $(" + m.send(`"$object"`, in[0].namespace, " -o patch", "\n      ") + printVersion + ")\"\n  done\n")
	}
	namespace := "NAMESPACE"
	if len(groups) == 1 {
		namespace = groups[0][0].namespace
	}
	b.WriteString("\nThe patch that reverts one, with the resourceVersion that this command prints and the copy of the objects before the migration:\n  " +
		m.send("KIND/NAME", namespace, " -o back --resource-version RV", "\n    ") + "\n")
	return b.String()
}

// loopOver returns the beginning of a loop over objects, with a few of them on each line.
func loopOver(objects []migrated) string {
	const longest = 100
	text, length := "  for object in", len("  for object in")
	for i, one := range objects {
		if i > 0 && length+len(one.resource) > longest {
			text, length = text+" \\\n     ", len("     ")
		}
		text, length = text+" "+one.resource, length+1+len(one.resource)
	}
	return text
}

// printVersion makes kubectl print the new resourceVersion.
const printVersion = " -o jsonpath='{.metadata.resourceVersion}'"

// send returns a command that sends a patch, which patchlab prints in a format, for a resource.
func (m *migrating) send(resource, namespace, format, newLine string) string {
	if namespace != "" {
		resource += " -n " + program.ShellQuote(namespace)
	}
	return m.command(resource) + format + " |" + newLine + "kubectl patch " + resource + " --type=json --patch-file=/dev/stdin"
}

// byNamespace groups the objects by namespace, in their order.
func (m *migrating) byNamespace() [][]migrated {
	var groups [][]migrated
	index := map[string]int{}
	for _, one := range m.migrated {
		i, known := index[one.namespace]
		if !known {
			i = len(groups)
			index[one.namespace] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], one)
	}
	return groups
}

// title returns the heading for an object.
func (m *migrating) title(object *patchlab.Object) string {
	return object.String()
}

// nothing describes why no migration is necessary.
func (m *migrating) nothing(object *patchlab.Object, migration *explain.Migration) string {
	switch {
	case object.Managed.Len() == 0 && m.owned:
		return "nothing to migrate: no manager owns a field"
	case object.Managed.Len() == 0:
		return "nothing to migrate: the object has no managedFields; use 'kubectl get --show-managed-fields' to include them"
	case len(migration.From) == 0:
		text := "nothing to migrate: no manager has used client-side apply"
		if updates := updatersOf(object); len(updates) > 0 {
			text += "; select other managers with --from: " + terminal.OneLine(strings.Join(updates, ", "))
		}
		return text
	}
	return "nothing to migrate: " + notUpdatedMessage(object, migration.From)
}

// notUpdatedMessage returns the message that managers have not updated an object, and who has.
// The managers are quoted, because those of --from may have any name.
func notUpdatedMessage(object *patchlab.Object, managers []string) string {
	names := make([]string, len(managers))
	for i, m := range managers {
		names[i] = strconv.Quote(m)
	}
	text := "the object has no updates by " + terminal.AndList(names)
	if updates := updatersOf(object); len(updates) > 0 {
		text += "; it has updates by " + terminal.OneLine(terminal.AndList(updates))
	}
	for _, e := range object.Managed.Entries() {
		if e.Operation == fieldmanager.OperationApply && slices.Contains(managers, e.Manager) {
			return text + "; " + terminal.OneLine(e.Manager) + " applies it, and gives up its fields when it applies only apiVersion, kind and metadata.name"
		}
	}
	return text
}

// updatersOf returns the managers that own fields of the object itself by updates.
func updatersOf(object *patchlab.Object) []string {
	var updates []string
	for _, e := range object.Managed.Entries() {
		if e.Operation == fieldmanager.OperationUpdate && e.Subresource == "" && !slices.Contains(updates, e.Manager) {
			updates = append(updates, e.Manager)
		}
	}
	return updates
}

// command returns the current command line for one object, which resource selects if there are
// several, without an output format.
func (m *migrating) command(resource string) string {
	name := program.ShellQuote(m.name)
	if m.name == "-" || inputs.IsResource(m.name) {
		name = "BEFORE" // a copy in a file
	}
	if len(m.objects) > 1 || m.selected {
		name += " " + resource
	}
	without := []string{"filename", "from", "to", "namespace", "output", "resource-version", "quiet"}
	if !m.o.schemas.FromCluster {
		without = append(without, "context", "kubeconfig") // for OBJECT in the cluster only
	}
	text := m.o.inputs.Command.CommandPath() + " " + name + program.FlagsOf(m.o.inputs.Command, without...)
	for _, from := range m.o.from {
		text += " --from " + program.ShellQuote(from)
	}
	return text + " --to " + program.ShellQuote(m.o.to)
}

func entryText(e fieldmanager.Entry) string {
	text := fmt.Sprintf("%s (%s, %s", terminal.OneLine(e.Manager), e.Operation, terminal.OneLine(e.APIVersion))
	if !e.Time.IsZero() {
		text += ", " + e.Time.UTC().Format("2006-01-02T15:04:05Z")
	}
	return text + ")"
}

// fewStuck is the number of fields of each list of stuckText if there are several objects: a
// CustomResourceDefinition has thousands.
const fewStuck = 5

// stuckText lists the fields that cannot be removed by an apply.
func (m *migrating) stuckText(b *strings.Builder, migration *explain.Migration) {
	most := fewStuck
	if len(m.objects) == 1 {
		most = len(migration.Stuck)
	}
	for _, left := range [...]bool{true, false} {
		title := "\nNot removed, without the migration, when " + migration.To + " omits them:\n"
		if left {
			title = "\nNot removed, because " + migration.To + " has omitted them and another manager still owns them:\n"
		}
		n := 0
		for _, s := range migration.Stuck {
			if s.Left != left || s.Default {
				continue
			}
			if n++; n <= most {
				fmt.Fprintf(b, "%s  %s (%s)\n", title, s.Path, terminal.OneLine(s.Manager))
				title = ""
			}
		}
		if n > most {
			fmt.Fprintf(b, "  and %s (select the object with KIND/NAME to list them)\n", terminal.Count(n-most, "other field", "other fields"))
		}
	}
	n := 0
	for _, s := range migration.Stuck {
		if s.Default {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(b, "\nNot listed: %s, which the API server would set again.\n", terminal.Count(n, "field with a default value", "fields with default values"))
	}
}

// lastAppliedPath is the annotation of client-side apply.
var lastAppliedPath = document.Keys("metadata", "annotations", fieldmanager.LastApplied).String()

// nextText describes the effect of the next apply.
func (m *migrating) nextText(b *strings.Builder, migration *explain.Migration, next nextApply) {
	if len(m.o.inputs.Files) == 0 {
		return
	}
	file := strings.Join(m.o.inputs.Files, ", ")
	if !next.Found {
		fmt.Fprintf(b, "\n%s contains no manifest of the object.\n", file)
		return
	}
	fmt.Fprintf(b, "\nApplying %s as %s after the migration", file, migration.To)
	if len(next.Removed)+len(next.Conflicts)+len(next.Left) == 0 {
		b.WriteString(" has the same result as without the migration.\n")
		return
	}
	b.WriteString(":\n")
	for _, p := range next.Removed {
		fmt.Fprintf(b, "  removes %s, which is kept without the migration\n", p)
		if migration.To == "kubectl" && p.String() == lastAppliedPath {
			b.WriteString("    (kubectl keeps it: it first applies the annotation as kubectl-last-applied)\n")
		}
	}
	for _, p := range next.Conflicts {
		fmt.Fprintf(b, "  sets %s, which conflicts without the migration\n", p)
	}
	for _, c := range next.Left {
		fmt.Fprintf(b, "  conflicts on %s with %s, with and without the migration\n", c.Path, c.Owner)
	}
}

// migrationDocument is the output document for a migration.
type migrationDocument struct {
	APIVersion string               `json:"apiVersion"`
	Kind       string               `json:"kind"`
	Target     patchlab.Target      `json:"target"`
	From       []string             `json:"from"`
	To         string               `json:"to"`
	Folded     []fieldmanager.Owner `json:"folded"`
	Lost       []fieldmanager.Owner `json:"lost"`
	Stuck      []explain.StuckField `json:"stuck"`
	// NextApply is set if there is a manifest.
	NextApply *nextApply `json:"nextApply,omitempty"`
	// Patch and Back are JSON patches. Back does not test the resourceVersion, which the
	// migration changes.
	Patch document.Value `json:"patch"`
	Back  document.Value `json:"back"`
}

// json adds the migration of an object to the output.
func (m *migrating) json(object *patchlab.Object, migration *explain.Migration, next nextApply) error {
	d := migrationDocument{APIVersion: results.OwnVersion, Kind: "Migration", Target: results.TargetOf(object.Value), From: migration.From, To: migration.To,
		Stuck: slices.Concat([]explain.StuckField{}, migration.Stuck), Patch: migration.Patch(), Back: migration.Back("")}
	d.From = slices.Concat([]string{}, d.From)
	d.Folded, d.Lost = ownersOf(migration.Folded), ownersOf(migration.Lost)
	if next.Found {
		next.Removed, next.Conflicts = slices.Concat([]document.Path{}, next.Removed), slices.Concat([]document.Path{}, next.Conflicts)
		next.Left = slices.Concat([]fieldmanager.Conflict{}, next.Left)
		d.NextApply = &next
	}
	v, err := results.AsDocument(d)
	m.documents = append(m.documents, v)
	return err
}

func ownersOf(entries []fieldmanager.Entry) []fieldmanager.Owner {
	owners := make([]fieldmanager.Owner, 0, len(entries))
	for _, e := range entries {
		owners = append(owners, e.Owner)
	}
	return owners
}
