package manifest_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// TestSkippedDocuments checks which documents of a folder are objects. A document that is only similar to the
// configuration of a program is not skipped: it is a manifest with a mistake, which must be reported.
func TestSkippedDocuments(t *testing.T) {
	const object = manifest.Reason(-1)
	for _, c := range []struct {
		why, file, text string
		want            manifest.Reason
	}{
		{"a kubelet's configuration has no metadata", "a.yaml", "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n", manifest.Configuration},
		{"a cluster of kind", "a.yaml", "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nname: a\n", manifest.Configuration},
		{"a kubeconfig has the version of the core group", "a.yaml", "apiVersion: v1\nkind: Config\nclusters: []\n", manifest.Configuration},
		{"the audit policy", "a.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n", manifest.Configuration},
		{"the encryption of etcd", "a.yaml", "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n", manifest.Configuration},
		{"kubeadm", "a.yaml", "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n", manifest.Configuration},
		{"skaffold has metadata, but no definition can have a group without a dot", "a.yaml", "apiVersion: skaffold/v4beta11\nkind: Config\nmetadata: {name: a}\n", manifest.Configuration},
		{"a generator of kustomize", "a.yaml", "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: a}\n", manifest.Configuration},
		{"a chart", "Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n", manifest.NoObject},
		{"values, a workflow, a compose file or a helmfile", "a.yaml", "services: {}\n", manifest.NoObject},
		{"a JSON patch that no kustomization names", "a.json", `[{"op":"remove","path":"/a"}]`, manifest.NoObject},
		{"a Secret that SOPS has encrypted", "a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: 'ENC[AES256_GCM,data:a]'}\nsops: {mac: 'ENC[AES256_GCM,data:b]'}\n", manifest.Encrypted},
		{"values that SOPS has encrypted", "a.yaml", "password: 'ENC[AES256_GCM,data:a]'\nsops: {mac: 'ENC[AES256_GCM,data:b]'}\n", manifest.NoObject},
		{"a refusal that patchlab has printed is reported by the commands", "a.yaml", "apiVersion: patchlab.dev/v1\nkind: Refusal\n", object},
		{"a kustomization without a kind", "kustomization.yml", "resources: []\n", manifest.Kustomization},
		{"a component", "kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n", manifest.Kustomization},
		{"Flux's object of the same name", "kustomization.yaml", "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n", object},
		{"a custom resource", "a.yaml", "apiVersion: example.com/v1\nkind: Config\nmetadata: {name: a}\n", object},
		{"a built-in kind without metadata", "a.yaml", "apiVersion: apps/v1\nkind: Deployment\nspec: {}\n", object},
		{"a built-in kind in a group with a typing error", "a.yaml", "apiVersion: app/v1\nkind: Deployment\nmetadata: {name: a}\n", object},
		{"a built-in kind in a version that does not exist", "a.yaml", "apiVersion: v2\nkind: ConfigMap\nmetadata: {name: a}\n", object},
		{"a kind of the core group with a typing error", "a.yaml", "apiVersion: v1\nkind: ConfigMop\nmetadata: {name: a}\n", object},
		{"a kind without apiVersion", "a.yaml", "kind: ConfigMap\nmetadata: {name: a}\n", object},
		{"an empty List", "a.yaml", "apiVersion: example.com/v1\nkind: ConfigList\nitems: null\n", object},
	} {
		s := manifest.Source{FS: fstest.MapFS{"in/" + c.file: {Data: []byte(c.text)}}}
		docs, skipped, err := s.Documents("in")
		got := object
		if len(skipped) == 1 {
			got = skipped[0].Reason
		}
		if err != nil || len(docs)+len(skipped) != 1 || got != c.want {
			t.Errorf("%s: %d objects, %v (%v), want %v", c.why, len(docs), skipped, err, c.want)
		}
	}
}

// TestSkippedInputsOfKustomize checks that a file that a kustomization uses otherwise than as a resource is not an
// object, even if it looks like one, in the file systems of Go and of the operating system.
func TestSkippedInputsOfKustomize(t *testing.T) {
	const resource = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	files := fstest.MapFS{
		"base/kustomization.yaml": {Data: []byte("resources: [a.yaml, both.yaml]\n")},
		"base/a.yaml":             {Data: []byte(resource)},
		"base/both.yaml":          {Data: []byte(resource)},
		"prod/kustomization.yaml": {Data: []byte(`kind: Kustomization
apiVersion: kustomize.config.k8s.io/v1beta1
resources: [../base]
patches:
- path: patches/size.yaml
- path: ../base/both.yaml
- first.yaml
- patch: |-
    [{op: remove, path: /data}]
patchesStrategicMerge:
- old.yaml
- |-
  apiVersion: v1
  kind: ConfigMap
patchesJson6902: [{path: json.yaml}]
generators: [chart.yaml]
replacements: [{path: replacement.yaml}]
configMapGenerator: [{name: b, files: [content.yaml, key=renamed.yaml]}]
`)},
		"prod/not-used.yaml": {Data: []byte(resource)},
	}
	var want []string
	for _, name := range []string{"patches/size.yaml", "first.yaml", "old.yaml", "json.yaml", "chart.yaml", "replacement.yaml", "content.yaml", "renamed.yaml"} {
		files["prod/"+name] = &fstest.MapFile{Data: []byte(resource)}
		want = append(want, "prod/"+name)
	}
	slices.Sort(want)
	folder := t.TempDir()
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	for root, s := range map[string]*manifest.Source{".": {FS: files, Recursive: true}, folder: {Recursive: true}} {
		docs, skipped, err := s.Documents(root)
		var got []string
		for _, one := range skipped {
			if one.Reason == manifest.KustomizeInput {
				name, err := filepath.Rel(root, one.Position.Name)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(name))
			}
		}
		slices.Sort(got)
		if err != nil || len(docs) != 3 || len(skipped) != len(want)+2 || !slices.Equal(got, want) {
			t.Errorf("%s: %d objects and %q (%v), want 3 and %q", root, len(docs), got, err, want)
		}
	}
}

// TestSkippedUnusedPatches checks which files beside a kustomization that does not name them are patches by their names.
func TestSkippedUnusedPatches(t *testing.T) {
	const object = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
	for _, test := range []struct {
		reason, file string
		skipped      bool
	}{
		{"kubebuilder's patch of the manager", "config/default/manager_auth_proxy_patch.yaml", true},
		{"patch as the first word", "config/default/patch-replicas.yaml", true},
		{"a folder of patches beside the kustomization", "config/default/patches/webhook_in_widgets.yaml", true},
		{"a folder of patches with a kustomization of its own", "config/component/patches/size.yaml", true},
		{"named as a resource", "config/default/patch.yaml", false},
		{"in a folder of patches, named as a resource", "config/default/patches/resource.yaml", false},
		{"the word is a part of another", "config/default/dispatcher.yaml", false},
		{"the definition of a kind whose name ends with it", "config/default/kuma.io_meshproxypatches.yaml", false},
		{"no kustomization in its folder", "config/other/manager_patch.yaml", false},
		{"a folder of patches without a kustomization", "config/other/patches/webhook_in_widgets.yaml", false},
	} {
		s := manifest.Source{Recursive: true, FS: fstest.MapFS{
			"config/default/kustomization.yaml":           {Data: []byte("resources: [patch.yaml, patches/resource.yaml]\n")},
			"config/component/patches/kustomization.yaml": {Data: []byte("resources: []\n")},
			test.file: {Data: []byte(object)},
		}}
		docs, skipped, err := s.Documents("config")
		got := slices.ContainsFunc(skipped, func(s manifest.Skipped) bool { return s.Reason == manifest.UnusedPatch })
		if err != nil || got != test.skipped || len(docs)+len(skipped) != 3 {
			t.Errorf("%s: %s: skipped: %v, want %v (%v)", test.reason, test.file, got, test.skipped, err)
		}
	}
}

// TestSkippedTemplates checks that the templates of a chart in a folder are skipped by a reader that goes on after
// errors, and are an error for any other.
func TestSkippedTemplates(t *testing.T) {
	files := fstest.MapFS{"a/Chart.yaml": {Data: []byte("name: a\n")}, "a/templates/one.yaml": {Data: []byte("a: {{b}}\n")}}
	s := manifest.Source{FS: files, Recursive: true}
	if _, _, err := s.Documents("a"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("without Unread: %v", err)
	}
	s.Unread = func(file string, err error) { t.Errorf("%s: %v", file, err) }
	_, skipped, err := s.Documents("a")
	if err != nil || len(skipped) != 2 || skipped[0].Reason != manifest.ChartTemplates || skipped[0].Position.Name != "a/templates" {
		t.Errorf("%v (%v)", skipped, err)
	}
}

// TestEncrypted checks that a reader can ask for encrypted documents.
func TestEncrypted(t *testing.T) {
	s := manifest.Source{Encrypted: true, FS: fstest.MapFS{"in/a.yaml": {Data: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nsops: {mac: 'ENC[a]'}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n")}}}
	objects, skipped, err := s.Objects("in")
	if err != nil || len(objects) != 2 || len(skipped) != 0 || !objects[0].IsEncrypted() || objects[1].IsEncrypted() {
		t.Errorf("%d objects, %v (%v)", len(objects), skipped, err)
	}
}

// TestExclude checks the patterns that exclude files, which are those of a .gitignore.
func TestExclude(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"r/a.yaml", "r/kind.yaml", "r/apps/web/a.yaml", "r/apps/web/kind.yaml", "r/apps/web/patches/p.yaml", "r/.github/ci.yaml"} {
		files[name] = &fstest.MapFile{Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")}
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, in string
		exclude []string
		want    []string
	}{
		{"nothing", "r", nil, []string{".github/ci.yaml", "a.yaml", "apps/web/a.yaml", "apps/web/kind.yaml", "apps/web/patches/p.yaml", "kind.yaml"}},
		{"a name in any folder", "r", []string{"kind.yaml", ".*"}, []string{"a.yaml", "apps/web/a.yaml", "apps/web/patches/p.yaml"}},
		{"a folder", "r", []string{"apps/"}, []string{".github/ci.yaml", "a.yaml", "kind.yaml"}},
		{"a path within the folder", "r", []string{"apps/*/kind.yaml", "./a.yaml"}, []string{".github/ci.yaml", "apps/web/a.yaml", "apps/web/patches/p.yaml", "kind.yaml"}},
		{"a path begins in the folder", "r", []string{"web/kind.yaml"}, []string{".github/ci.yaml", "a.yaml", "apps/web/a.yaml", "apps/web/kind.yaml", "apps/web/patches/p.yaml", "kind.yaml"}},
		{"any number of folders, also none", "r", []string{"**/kind.yaml", "apps/**/patches"}, []string{".github/ci.yaml", "a.yaml", "apps/web/a.yaml"}},
		{"only a file at the root", "r", []string{"/kind.yaml"}, []string{".github/ci.yaml", "a.yaml", "apps/web/a.yaml", "apps/web/kind.yaml", "apps/web/patches/p.yaml"}},
		{"matches of a glob", "r/*.yaml", []string{"kind.yaml"}, []string{"a.yaml"}},
		{"a file that is named is read", "r/a.yaml", []string{"a.yaml"}, []string{"a.yaml"}},
	} {
		for root, s := range map[string]*manifest.Source{"": {FS: files}, folder: {}} {
			s.Recursive, s.Exclude = true, c.exclude
			used := map[string]bool{}
			s.Excluded = func(pattern, _ string) { used[pattern] = true }
			names, err := s.Files(path.Join(filepath.ToSlash(root), c.in))
			var got []string
			for _, name := range names {
				within, err := filepath.Rel(filepath.Join(root, "r"), name)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(within))
			}
			matched := len(c.want) < 6 && c.in != "r/a.yaml"
			if err != nil || !slices.Equal(got, c.want) || matched != (len(used) > 0) {
				t.Errorf("%s: %q with %v used (%v), want %q", c.why, got, used, err, c.want)
			}
		}
	}
	s := manifest.Source{FS: files, Recursive: true, Exclude: []string{"*.yaml"}}
	if _, err := s.Files("r"); !errors.Is(err, fs.ErrNotExist) || err.Error() != "r: the folder has no .yaml, .yml or .json file that is not excluded" {
		t.Errorf("all files are excluded: %v", err)
	}
	if manifest.CheckExclude("a/[b") == nil {
		t.Error("a pattern with an open bracket is accepted")
	}
}
