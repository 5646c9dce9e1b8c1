package serving

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/schema"
)

// EtcdStandIn is the name under which envtest executes etcd.
const EtcdStandIn = "etcd"

// versionFile is the file, beside the programs that envtest executes, with the Kubernetes version of
// the built-in kinds. envtest passes no flag for it.
const versionFile = "kube-version"

// EnvtestCommand returns the command envtest, which installs the stand-ins.
func EnvtestCommand(a *program.App) *cobra.Command {
	var folder, version string
	c := &cobra.Command{
		Use:   "envtest",
		Short: "Install kube-apiserver and etcd for suites that use envtest, and print their folder",
		Long: `Copy this program into a folder under the names kube-apiserver and etcd, link the kubectl
on the PATH if there is one, and print the folder. A test suite that uses envtest
(sigs.k8s.io/controller-runtime) runs unchanged with KUBEBUILDER_ASSETS set to it: envtest
then starts 'patchlab serve' with the flags, certificates, authorization and admission
plugins that it sets for kube-apiserver. Objects are in memory; etcd only answers health
checks. The built-in kinds are those of the default Kubernetes version, or of
--kube-version.

As with envtest's own programs, no controllers run. Other flags of kube-apiserver, such
as --feature-gates, have no effect. CEL rules, admission policies and webhooks need the
program ` + program.Admission + `, which is copied instead if it is installed.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the programs could not be installed"}),
		Example: `  # Run the tests of an operator
  KUBEBUILDER_ASSETS=$(patchlab envtest) go test ./...

  # Install the kinds of Kubernetes 1.34 where kubebuilder's projects look for them
  patchlab envtest --kube-version 1.34 --dir bin/k8s/1.34.0-linux-amd64`,
		Args: program.Arguments(),
		RunE: func(*cobra.Command, []string) error { return envtest(a, folder, version) },
	}
	c.Flags().StringVar(&folder, "dir", "", "folder to install to (default a folder of the version in the user's cache)")
	c.Flags().StringVar(&version, "kube-version", "", "Kubernetes version of the built-in kinds, such as 1.34 (default "+schema.DefaultVersion+")")
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.FixedCompletions(schema.Versions(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// envtest installs the programs in a folder and prints it.
func envtest(a *program.App, folder, version string) error {
	catalog, err := schema.Builtin(inputs.MinorVersion(version))
	if err != nil {
		return program.Usage("--kube-version " + version + ": supported versions are " + strings.Join(schema.Versions(), ", "))
	}
	version = catalog.Version()
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("%w: use --dir to choose a folder", err)
		}
		folder = filepath.Join(cache, "patchlab", "envtest-"+version)
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	if a.Admission == nil {
		if found, ok := program.Find(program.Admission); ok {
			executable = found
		} else {
			a.NoteNoAdmission("")
		}
	}
	if err := install(folder, executable, version); err != nil {
		return fmt.Errorf("installing %s and %s: %w", KubeAPIServer, EtcdStandIn, err)
	}
	if err := linkKubectl(folder); err != nil {
		a.Note("note: kubectl was not linked, which only suites that run it need: " + err.Error()) // Windows requires a privilege
	}
	_, err = fmt.Fprintln(a.Out, folder)
	return err
}

// linkKubectl puts a link to the kubectl on the PATH, if there is one, into the folder, where envtest
// and setup-envtest look for it. A kubectl in the folder is kept.
func linkKubectl(folder string) error {
	name := program.FileName("kubectl")
	target := filepath.Join(folder, name)
	if _, err := os.Stat(target); err == nil {
		return nil
	}
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		return nil // few suites need it
	}
	if kubectl, err = filepath.Abs(kubectl); err != nil {
		return err
	}
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a link to what no longer exists
	}
	return os.Symlink(kubectl, target)
}

// install copies an executable into a folder under both names, beside the file with the version. A test
// that runs meanwhile keeps the programs that it has started. Programs of others, such as those of
// Kubernetes, are not replaced.
func install(folder, executable, version string) error {
	programs := []string{filepath.Join(folder, program.FileName(KubeAPIServer)), filepath.Join(folder, program.FileName(EtcdStandIn))}
	if _, err := os.Stat(filepath.Join(folder, versionFile)); err != nil {
		for _, target := range programs {
			if _, err := os.Lstat(target); err == nil {
				return errors.New(target + " exists and was not installed by patchlab; choose another folder with --dir")
			}
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, versionFile), []byte(version+"\n"), 0o644); err != nil {
		return err
	}
	data, err := os.ReadFile(executable)
	if err != nil {
		return err
	}
	for _, target := range programs {
		if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, data) {
			continue
		}
		if err := ReplaceFile(target, data, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// installedVersion returns the Kubernetes version in the file beside this program, "" without one.
func installedVersion() (string, error) {
	executable, err := os.Executable()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(executable), versionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// EtcdCommand is the command that envtest starts as etcd. The objects are in the memory of the API
// server, so it only answers health checks.
func EtcdCommand(a *program.App) *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:    EtcdStandIn,
		Short:  "Answer the health checks of etcd, for envtest",
		Long:   `Answer the health checks with which envtest waits for etcd. Nothing is stored.`,
		Hidden: true, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Args: program.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error { return answerHealth(c.Context(), address) },
	}
	c.Flags().StringVar(&address, "listen-client-urls", "http://127.0.0.1:2379", "URL to listen on")
	return c
}

// answerHealth serves etcd's health endpoint until the context ends.
func answerHealth(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return program.Usage("--listen-client-urls " + address + ": expected one URL such as http://127.0.0.1:2379")
	}
	l, err := ListenOn(ctx, "--listen-client-urls", u.Host)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"health":"true","reason":""}`)
	})
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
