package playground

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// mediaTypes are the media types of the actions that are sent as PATCH, and their constants in
// apimachinery's package types.
var mediaTypes = map[scenario.Action]struct{ name, constant string }{
	scenario.JSONPatch:  {"application/json-patch+json", "JSONPatchType"},
	scenario.MergePatch: {"application/merge-patch+json", "MergePatchType"},
	scenario.Strategic:  {"application/strategic-merge-patch+json", "StrategicMergePatchType"},
	scenario.Apply:      {"application/apply-patch+yaml", "ApplyPatchType"},
	scenario.ForceApply: {"application/apply-patch+yaml", "ApplyPatchType"},
}

// sent returns a body in the format that the API server accepts: only an apply may be YAML.
func sent(step *scenario.Step) string {
	if step.Do == scenario.Apply || step.Do == scenario.ForceApply {
		return step.Body
	}
	d, err := document.ParseYAML([]byte(step.Body), document.Options{})
	if err != nil {
		return step.Body
	}
	return string(d.Root.JSON())
}

// curl returns a step as a curl command for kubectl proxy, which adds the credentials.
func curl(step *scenario.Step, r *scenario.Result) string {
	media, ok := mediaTypes[step.Do]
	if !ok || r.Kind == nil {
		return ""
	}
	query := "?fieldManager=" + url.QueryEscape(step.Actor)
	if step.Do == scenario.ForceApply {
		query += "&force=true"
	}
	address := "http://127.0.0.1:8001" + requestPath(r) + query
	body := strings.TrimSuffix(sent(step), "\n")
	return "# behind kubectl proxy\ncurl -X PATCH " + singleQuoted(address) + " \\\n  -H 'Content-Type: " + media.name + "' \\\n  --data-binary " + singleQuoted(body) + "\n"
}

// requestPath returns the API path of a step's object.
func requestPath(r *scenario.Result) string {
	path := "/api/v1"
	if group, version, _ := schema.SplitAPIVersion(r.Target.APIVersion); group != "" {
		path = "/apis/" + group + "/" + version
	}
	if r.Target.Namespace != "" {
		path += "/namespaces/" + url.PathEscape(r.Target.Namespace)
	}
	return path + "/" + r.Kind.Resource + "/" + url.PathEscape(r.Target.Name)
}

// singleQuoted quotes a text, which may have several lines, as one word for a shell.
func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// clientGo returns a step as a function that uses client-go's dynamic client.
func clientGo(step *scenario.Step, r *scenario.Result) string {
	media, ok := mediaTypes[step.Do]
	if !ok || r.Kind == nil {
		return ""
	}
	group, version, _ := schema.SplitAPIVersion(r.Target.APIVersion)
	options, force := "metav1.PatchOptions{FieldManager: "+strconv.Quote(step.Actor), ""
	if step.Do == scenario.ForceApply {
		options, force = options+", Force: &force", "\tforce := true\n"
	}
	namespace := ""
	if r.Target.Namespace != "" {
		namespace = ".Namespace(" + strconv.Quote(r.Target.Namespace) + ")"
	}
	return `package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

const body = ` + goText(sent(step)) + `

func change(ctx context.Context, client dynamic.Interface) error {
` + force + `	resource := schema.GroupVersionResource{Group: ` + strconv.Quote(group) + ", Version: " + strconv.Quote(version) + ", Resource: " + strconv.Quote(r.Kind.Resource) + `}
	_, err := client.Resource(resource)` + namespace + `.
		Patch(ctx, ` + strconv.Quote(r.Target.Name) + ", types." + media.constant + ", []byte(body), " + options + `})
	return err
}
`
}

// goText formats a text as a Go literal, which may have several lines.
func goText(text string) string {
	if strings.ContainsAny(text, "`\r\x00\ufeff") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}
