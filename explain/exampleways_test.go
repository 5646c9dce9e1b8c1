package explain_test

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Each conflict is resolved in its own way; the result is one configuration.
func ExampleResolve() {
	t, m := configMaps()
	live := applied(m, fieldmanager.Object{}, parsed(settings), "alice")
	config := parsed(settings).Set(document.NewString("l"), "data", "size").Set(document.NewString("red"), "data", "color")
	_, err := m.Apply(live, config, fieldmanager.ApplyOptions{FieldManager: "bob", Time: now})
	var conflicts *fieldmanager.Conflicts
	if !errors.As(err, &conflicts) {
		fmt.Println("no conflict:", err)
		return
	}
	r, err := explain.Resolve(t, config, conflicts.List, func(c fieldmanager.Conflict) string {
		if c.Path.String() == ".data.size" {
			return explain.Force
		}
		return explain.AdoptValue
	})
	fmt.Println(r.Config.Get("data"), r.Force, len(r.Open), err)
	// Output: {"color":"blue","size":"l"} true 0 <nil>
}

// Fields set by client-side apply cannot be removed until they are migrated.
func ExampleMigrate() {
	_, m := configMaps()
	live, err := m.Update(fieldmanager.Object{}, parsed(settings), fieldmanager.UpdateOptions{FieldManager: "kubectl-client-side-apply"})
	if err != nil {
		fmt.Println(err)
		return
	}
	live.Value = live.Value.Set(document.NewString("7"), "metadata", "resourceVersion")
	migration := explain.Migrate(live, []string{"kubectl-client-side-apply"}, "gitops")
	for _, s := range migration.Stuck {
		fmt.Println("stuck:", s.Path)
	}
	fmt.Println(migration.After.Managed)
	fmt.Println(migration.Patch().At(1))
	// Output:
	// stuck: .data.color
	// stuck: .data.size
	// [{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:color":{},"f:size":{}}},"manager":"gitops","operation":"Apply"}]
	// {"op":"replace","path":"/metadata/resourceVersion","value":"7"}
}
