package scenario

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// Script converts a scenario to a shell script of kubectl commands with the same effect on
// a real cluster. results, the results of Run, have the targets of patches. A step with an
// unknown object becomes a comment.
func Script(s *Scenario, results []Result) []byte {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	comment(&b, s.Title)
	comment(&b, s.About)
	comment(&b, "A command that the API server refuses does not end the script: some steps are meant to fail.")
	for _, text := range s.Definitions {
		b.WriteByte('\n')
		command(&b, []string{"kubectl", "apply", "--server-side", "-f", "-"}, text)
	}
	if len(s.Definitions) > 0 {
		b.WriteString("kubectl wait --for=condition=Established --timeout=30s crd --all\n")
	}
	existing := make([][]manifest.Object, len(s.Objects))
	for i, text := range s.Objects {
		docs, err := manifest.Parse("", []byte(text))
		if err != nil {
			b.WriteByte('\n')
			comment(&b, "left out: objects that cannot be read: "+err.Error())
			continue
		}
		existing[i] = manifest.Split(docs...)
	}
	if names := namespaces(existing, results); len(names) > 0 {
		b.WriteByte('\n')
		comment(&b, "The namespaces of the objects. The commands fail where the cluster has them.")
		for _, name := range names {
			command(&b, []string{"kubectl", "create", "namespace", name}, "")
		}
	}
	for _, objects := range existing {
		restore(&b, objects)
	}
	for i := range s.Steps {
		b.WriteByte('\n')
		step := &s.Steps[i]
		comment(&b, "Step "+strconv.Itoa(i+1)+": "+step.Actor+", "+string(step.Do))
		comment(&b, step.Note)
		if i >= len(results) || results[i].Kind == nil {
			comment(&b, "left out: it is not known which object the step is for")
			continue
		}
		b.WriteString(Command(step, &results[i]))
	}
	return []byte(b.String())
}

// namespaces returns the namespaces of existing objects and of the targets of steps, except those that
// every cluster has and those that the scenario creates itself.
func namespaces(existing [][]manifest.Object, results []Result) []string {
	used, made := map[string]bool{}, map[string]bool{"": true, "default": true, "kube-system": true, "kube-public": true, "kube-node-lease": true}
	add := func(kind, name, namespace string) {
		used[namespace] = true
		if kind == "Namespace" {
			made[name] = true
		}
	}
	for _, objects := range existing {
		for _, o := range objects {
			add(o.Kind(), o.Value.Lookup("metadata", "name").StringOr(""), o.Value.Lookup("metadata", "namespace").StringOr(""))
		}
	}
	for _, r := range results {
		add(r.Target.Kind, r.Target.Name, r.Target.Namespace)
	}
	maps.DeleteFunc(used, func(name string, _ bool) bool { return made[name] })
	return slices.Sorted(maps.Keys(used))
}

// restore prints the commands that create objects with their status and managers. A create
// ignores the status and makes its manager the owner of all fields; a subsequent replace sets
// the given managers.
func restore(b *strings.Builder, objects []manifest.Object) {
	manifest.SortForCreation(objects)
	for _, o := range objects {
		b.WriteByte('\n')
		comment(b, "An object that is there before the first step; uid, resourceVersion and creationTimestamp will be the cluster's own.")
		v := o.Value
		for _, key := range [...]string{"uid", "resourceVersion", "creationTimestamp", "generation", "selfLink", "deletionTimestamp"} {
			v = v.Remove("metadata", key)
		}
		managed := v.Lookup("metadata", "managedFields")
		bare := v.Remove("metadata", "managedFields")
		command(b, []string{"kubectl", "create", "-f", "-"}, string(bare.Without("status").YAML()))
		if status := v.Get("status"); status.Len() > 0 {
			command(b, []string{"kubectl", "replace", "--subresource=status", "-f", "-"}, string(bare.YAML()))
		}
		if managed.Len() > 0 {
			command(b, []string{"kubectl", "replace", "-f", "-"}, string(v.Without("status").YAML()))
		}
	}
}

// Command returns a step as a kubectl command for a shell, with the body as its input. r
// has the target of the step; without one the result is "".
func Command(s *Step, r *Result) string {
	if r.Kind == nil {
		return ""
	}
	var b strings.Builder
	body := s.Body
	if s.Do == Delete {
		body = ""
	}
	command(&b, arguments(s, r), body)
	return b.String()
}

// arguments returns the arguments of the kubectl command of a step.
func arguments(s *Step, r *Result) []string {
	manager := "--field-manager=" + s.Actor
	file := []string{"-f", "-"}
	var args []string
	switch s.Do {
	case Apply:
		args = []string{"apply", "--server-side", manager}
	case ForceApply:
		args = []string{"apply", "--server-side", "--force-conflicts", manager}
	case ClientApply:
		args = []string{"apply", manager}
	case Create:
		args = []string{"create", manager}
	case Update:
		args = []string{"replace", manager}
	case JSONPatch:
		args, file = []string{"patch", "--type=json", manager}, patchFile(r)
	case MergePatch:
		args, file = []string{"patch", "--type=merge", manager}, patchFile(r)
	case Strategic:
		args, file = []string{"patch", "--type=strategic", manager}, patchFile(r)
	case Delete:
		args, file = []string{"delete"}, object(r)
	}
	if s.Subresource != "" {
		args = append(args, "--subresource="+s.Subresource)
	}
	if r.Target.Namespace != "" {
		args = append(args, "--namespace="+r.Target.Namespace)
	}
	return append(append([]string{"kubectl"}, args...), file...)
}

func patchFile(r *Result) []string { return append(object(r), "--patch-file=/dev/stdin") }

// object returns the target in kubectl's notation: deployments.v1.apps/web.
func object(r *Result) []string {
	name := r.Kind.Resource
	if group, version, _ := schema.SplitAPIVersion(r.Target.APIVersion); group != "" {
		name += "." + version + "." + group
	}
	return []string{name + "/" + r.Target.Name}
}

// comment prints text as comment lines; empty text prints nothing.
func comment(b *strings.Builder, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight("# "+printable(line), " ") + "\n")
	}
}

// printable replaces characters that would end a comment or control the terminal, and the byte order
// mark, which Go allows only at the beginning of a file.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfeff {
			return ' '
		}
		return r
	}, line)
}

// command prints a command with its input as a here-document.
func command(b *strings.Builder, args []string, input string) {
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(a))
	}
	if input == "" {
		b.WriteByte('\n')
		return
	}
	end := delimiter(input)
	b.WriteString(" <<'" + end + "'\n" + strings.TrimSuffix(input, "\n") + "\n" + end + "\n")
}

// delimiter returns a line that the input does not contain.
func delimiter(input string) string {
	end := "EOF"
	for strings.Contains(input, end) {
		end += "_"
	}
	return end
}

// quote returns text as a single shell word.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
