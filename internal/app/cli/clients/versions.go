package clients

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/schema"
)

type versionsOptions struct {
	client    clientFlags
	namespace string
	watch     bool
	count     int
}

// VersionsCommand returns the command versions.
func VersionsCommand(a *program.App) *cobra.Command {
	var o versionsOptions
	c := &cobra.Command{
		Use:   "versions RESOURCE/NAME",
		Short: "Show the versions of an object, the changed fields and their owners",
		Long: `Print the resourceVersion, generation, observedGeneration and uid of an object on an
API server. With --watch, print a line for each new version with the fields that
changed since the previous version and the field managers that own them.

RESOURCE is the plural or short name of a resource, with the group if the name is
ambiguous: configmaps, deploy, deployments.apps.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the object or the API server could not be read"}),
		Example: `  patchlab versions deployments/web --namespace shop --watch
  patchlab versions cm/settings --server http://127.0.0.1:8001`,
		Args: program.Arguments("RESOURCE/NAME"),
		RunE: func(c *cobra.Command, args []string) error { return versions(c.Context(), a, &o, args[0]) },
	}
	o.client.add(c)
	f := c.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object (default that of the context, otherwise \"default\")")
	f.BoolVarP(&o.watch, "watch", "w", false, "watch for new versions until the object is deleted or Ctrl-C is pressed")
	f.IntVar(&o.count, "count", 0, "with --watch, exit after this number of versions; 0 means no limit")
	return c
}

func versions(ctx context.Context, a *program.App, o *versionsOptions, what string) error {
	resource, name, ok := strings.Cut(what, "/")
	if !ok || resource == "" || name == "" || strings.Contains(name, "/") {
		return program.Usage("expected RESOURCE/NAME, such as deployments/web, not " + strconv.Quote(what))
	}
	c, err := o.client.open()
	if err != nil {
		return err
	}
	collection, err := c.collection(ctx, resource, cmp.Or(o.namespace, c.namespace, "default"))
	if err != nil {
		return err
	}
	object, err := c.do(ctx, "GET", collection+"/"+url.PathEscape(name), "", "")
	if err != nil {
		return err
	}
	v := &versionsPrinter{app: a, kind: schema.Deduced()}
	if o.watch {
		v.kind = c.typeOf(ctx, collection, object)
	}
	v.row("VERSION", "GENERATION", "OBSERVED", "UID", "CHANGED")
	v.print("", object)
	if !o.watch || v.printed == o.count {
		return nil
	}
	return c.follow(ctx, collection, name, object, func(kind string, next document.Value) bool {
		v.print(kind, next)
		return kind != "DELETED" && (o.count == 0 || v.printed < o.count)
	})
}

// versionsPrinter prints a line for each version.
type versionsPrinter struct {
	app     *program.App
	kind    *schema.Type
	before  document.Value
	printed int
}

func (v *versionsPrinter) print(kind string, object document.Value) {
	changed := ""
	switch {
	case kind == "DELETED":
		changed = "deleted"
	case v.before.Exists():
		changed = changedFields(v.kind, v.before, object)
	}
	number := func(keys ...string) string {
		if n, ok := object.Lookup(keys...).Int(); ok {
			return strconv.FormatInt(n, 10)
		}
		return "-"
	}
	v.row(object.Lookup("metadata", "resourceVersion").StringOr("-"), number("metadata", "generation"),
		number("status", "observedGeneration"), object.Lookup("metadata", "uid").StringOr("-"), changed)
	v.before = object
	v.printed++
}

// row prints a line with columns of fixed width, because lines are printed one by one.
func (v *versionsPrinter) row(version, generation, observed, uid, changed string) {
	line := fmt.Sprintf("%-10s   %-10s   %-8s   %-36s   %s", version, generation, observed, uid, changed)
	v.app.Show(strings.TrimRight(line, " ") + "\n")
}

// shownChanges is the maximum number of listed fields per version.
const shownChanges = 5

// changedFields lists the fields that differ between two versions, with their owners.
func changedFields(kind *schema.Type, before, after document.Value) string {
	was, err := fieldmanager.Split(before)
	if err != nil {
		return err.Error()
	}
	is, err := fieldmanager.Split(after)
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, c := range explain.Changes(kind, was, is) {
		path := c.Path.String()
		if path == ".metadata.resourceVersion" {
			continue
		}
		owners := c.OwnersAfter
		if len(owners) == 0 {
			owners = c.OwnersBefore
		}
		var names []string
		for _, o := range owners {
			names = append(names, o.Manager)
		}
		text := path + " " + string(c.Effect)
		if len(names) > 0 {
			text += " (" + strings.Join(slices.Compact(names), ", ") + ")"
		}
		all = append(all, text)
	}
	if len(all) > shownChanges {
		all = append(all[:shownChanges], fmt.Sprintf("and %d more", len(all)-shownChanges))
	}
	return strings.Join(all, "; ")
}

// typeOf returns the type of an object, without which a list with keys differs as a whole: that of the
// built-in kind, or that of the CustomResourceDefinition on the server, if it can be read.
func (c *client) typeOf(ctx context.Context, collection string, object document.Value) *schema.Type {
	builtin, err := schema.Builtin(schema.DefaultVersion)
	if err != nil {
		return schema.Deduced()
	}
	kinds := schema.NewRegistry(builtin)
	if _, ok := kinds.Of(object); !ok {
		group, _, _ := schema.SplitAPIVersion(object.Get("apiVersion").StringOr(""))
		definition, err := c.do(ctx, "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+path.Base(collection)+"."+url.PathEscape(group), "", "")
		if crd, invalid := schema.FromCRD(definition); err == nil && invalid == nil {
			kinds.AddCRD(crd)
		}
	}
	if kind, ok := kinds.Of(object); ok {
		return kind.Type()
	}
	return schema.Deduced()
}

// collection returns the path of a resource's collection in a namespace, or of a
// cluster-scoped one.
func (c *client) collection(ctx context.Context, resource, namespace string) (string, error) {
	plural, group, _ := strings.Cut(resource, ".")
	paths := []string{}
	if group == "" {
		paths = append(paths, "/api/v1")
	}
	groups, err := c.do(ctx, "GET", "/apis", "", "")
	if err != nil {
		return "", err
	}
	for _, g := range groups.Get("groups").Items() {
		if group == "" || g.Get("name").StringOr("") == group {
			paths = append(paths, "/apis/"+g.Lookup("preferredVersion", "groupVersion").StringOr(""))
		}
	}
	for _, path := range paths {
		list, err := c.do(ctx, "GET", path, "", "")
		if err != nil {
			continue // an aggregated API may be unavailable
		}
		for _, r := range list.Get("resources").Items() {
			if !namedSo(r, plural) {
				continue
			}
			if namespaced, _ := r.Get("namespaced").Bool(); namespaced {
				path += "/namespaces/" + url.PathEscape(namespace)
			}
			return path + "/" + r.Get("name").StringOr(""), nil
		}
	}
	return "", fmt.Errorf("the server doesn't have a resource type %q", resource)
}

// namedSo reports whether a name is a name of a resource.
func namedSo(r document.Value, name string) bool {
	if r.Get("name").StringOr("") == name || r.Get("singularName").StringOr("") == name {
		return true
	}
	return slices.Contains(r.Get("shortNames").Strings(), name)
}

// maxEvent is the maximum size of a watch event.
const maxEvent = 16 << 20

// reopenAfter is the time after which a watch that has ended is opened again, so that a server that ends each at once
// is not flooded with requests.
const reopenAfter = time.Second

// follow watches one object, starting at the version of object, until f returns false. A watch
// that ends is reopened at the last version.
func (c *client) follow(ctx context.Context, collection, name string, object document.Value, f func(kind string, object document.Value) bool) error {
	version := object.Lookup("metadata", "resourceVersion").StringOr("")
	for ctx.Err() == nil {
		resp, err := c.send(ctx, "GET", collection+"?watch=true&fieldSelector="+url.QueryEscape("metadata.name="+name)+"&resourceVersion="+url.QueryEscape(version), "", "")
		if err != nil {
			break
		}
		if resp.StatusCode != http.StatusOK {
			_, err := readAnswer(resp)
			return err
		}
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, maxEvent)
		for lines.Scan() {
			doc, err := document.Parse(lines.Bytes(), document.Options{})
			if err != nil {
				break
			}
			kind, next := doc.Root.Get("type").StringOr(""), doc.Root.Get("object")
			if kind == "ERROR" {
				_ = resp.Body.Close()
				return &statusError{message: next.Get("message").StringOr("the watch failed")}
			}
			version = next.Lookup("metadata", "resourceVersion").StringOr(version)
			if kind != "BOOKMARK" && !f(kind, next) {
				return resp.Body.Close()
			}
		}
		_ = resp.Body.Close()
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) { // as it would be in the next watch
			return fmt.Errorf("an event of the watch is larger than %d MiB", maxEvent>>20)
		}
		select {
		case <-ctx.Done():
		case <-time.After(reopenAfter):
		}
	}
	if ctx.Err() != nil {
		return nil // Ctrl-C
	}
	return fmt.Errorf("the server at %s is no longer available", c.base)
}
