package inputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// KubectlFlags select the cluster for kubectl, which is executed only as 'kubectl get' and
// 'kubectl kustomize'.
type KubectlFlags struct {
	context, kubeconfig string
}

// Add adds the flags to a command.
func (f *KubectlFlags) Add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.context, "context", "", "kubeconfig context for objects given as KIND/NAME, and for --crds-from-cluster")
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file for objects given as KIND/NAME, and for --crds-from-cluster")
}

// arguments returns kubectl's flags that select the cluster.
func (f *KubectlFlags) arguments() []string {
	var args []string
	if f.context != "" {
		args = append(args, "--context", f.context)
	}
	if f.kubeconfig != "" {
		args = append(args, "--kubeconfig", f.kubeconfig)
	}
	return args
}

// Get reads an object with its managedFields from a cluster. If it does not exist, the result
// is empty.
func (f *KubectlFlags) Get(ctx context.Context, resource, namespace string) (Documents, error) {
	args := append([]string{"get", resource, "--show-managed-fields", "--ignore-not-found", "-o", "json"}, f.arguments()...)
	if namespace != "" {
		args = append(args, "--namespace", namespace)
	}
	return runTool(ctx, "kubectl", args...)
}

// named reads the objects with the kind and name of KIND/NAME from all namespaces of a cluster.
func (f *KubectlFlags) named(ctx context.Context, resource string) (Documents, error) {
	kind, name, _ := strings.Cut(resource, "/")
	return runTool(ctx, "kubectl", append([]string{"get", kind, "--field-selector", "metadata.name=" + name, "--all-namespaces", "-o", "json"}, f.arguments()...)...)
}

// crds reads the CustomResourceDefinitions of a cluster.
func (f *KubectlFlags) crds(ctx context.Context) ([]manifest.Object, error) {
	docs, err := runTool(ctx, "kubectl", append([]string{"get", "customresourcedefinitions.apiextensions.k8s.io", "-o", "json"}, f.arguments()...)...)
	return docs.Objects(), err
}

// BuildKustomization builds a kustomization with the user's kustomize or, if it is not installed,
// kubectl.
func BuildKustomization(ctx context.Context, dir string) (Documents, error) {
	if _, err := exec.LookPath("kustomize"); err == nil {
		return runTool(ctx, "kustomize", "build", dir)
	}
	return runTool(ctx, "kubectl", "kustomize", dir)
}

// logLine is a line of the log of client-go, such as "E0302 16:00:00.000000    4711 memcache.go:265] …".
var logLine = regexp.MustCompile(`(?m)^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\] .*\n?`)

// withoutLog returns what a program has printed on standard error without the lines of a log, of which kubectl prints
// several with the same cause before its message, or all of it if it has no others.
func withoutLog(text string) string {
	if message := strings.TrimSpace(logLine.ReplaceAllString(text, "")); message != "" {
		return message
	}
	return strings.TrimSpace(text)
}

// runTool executes a program of the user and parses the documents that it prints.
func runTool(ctx context.Context, name string, args ...string) (Documents, error) {
	command := name + " " + strings.Join(args, " ")
	if _, err := exec.LookPath(name); err != nil {
		return nil, fmt.Errorf("%s was not found on the PATH; it is required to run: %s", name, command)
	}
	var out, problems bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		text := withoutLog(problems.String())
		if text == "" {
			text = err.Error()
		}
		return nil, errors.New(command + ": " + text)
	}
	docs, err := manifest.Parse(name, out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	return docs, nil
}
