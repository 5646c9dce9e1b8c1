package cli

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server"
)

// kubeAPIServer is the name under which envtest executes an API server.
const kubeAPIServer = "kube-apiserver"

// certificateFiles are the files of kube-apiserver's certificates.
type certificateFiles struct {
	folder    string // has apiserver.crt and apiserver.key unless cert and key are set
	cert, key string
}

// inert are the flags of kube-apiserver that envtest sets and that have no meaning or one fixed value
// here.
var inert = []string{
	"advertise-address", "allow-privileged", "etcd-servers", "insecure-bind-address", "insecure-port", "service-account-issuer",
	"service-account-key-file", "service-account-signing-key-file", "service-cluster-ip-range", "v",
}

// kubeAPIServerCommand is the command that serves with the flags of kube-apiserver.
func (a *App) kubeAPIServerCommand() *cobra.Command {
	o := serveOptions{
		defaults: true, admission: true, tls: true, logFormat: "text", authorize: alwaysAllow,
		engine: engineFlag{name: "ours"}, store: storeFlags{name: "memory", compaction: defaultCompaction}, certificates: &certificateFiles{},
	}
	var address, port string
	var modes, enabled, disabled []string
	var version bool
	c := &cobra.Command{
		Use:   kubeAPIServer,
		Short: "Run an API server in memory with the flags of kube-apiserver, for envtest",
		Long: `Serve the Kubernetes API from memory, as 'patchlab serve' does, with the flags of
kube-apiserver that envtest uses. Clients authenticate by certificates or by tokens of
service accounts. Other flags of kube-apiserver are accepted and have no effect.`,
		Hidden:             true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Args:               arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.kubeVersion == "" {
				installed, err := installedVersion()
				if err != nil {
					return err
				}
				o.kubeVersion = installed
				a.args = append(a.args, "--kube-version="+installed) // for a program that does the work in another folder
			}
			if version {
				return a.printVersion(o.kubeVersion)
			}
			if ignored := a.ignoredFlags(c); len(ignored) > 0 {
				o.notes = append(o.notes, "note: flags that have no effect here: "+strings.Join(ignored, ", "))
			}
			if missing := a.missingPlugins(enabled); len(missing) > 0 {
				o.notes = append(o.notes, "note: admission plugins that patchlab does not implement: "+strings.Join(missing, ", "))
			}
			o.listen = net.JoinHostPort(address, port)
			if slices.Contains(modes, byRoles) {
				o.authorize = byRoles
			} else {
				o.token = rand.Text() // nobody has it: without authorization, kube-apiserver refuses anonymous requests
			}
			o.plugins = a.withoutDisabled(disabled)
			return a.serve(c.Context(), &o)
		},
	}
	f := c.Flags()
	f.BoolVar(&version, "version", false, "print the version and exit")
	f.StringVar(&o.kubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds; kube-apiserver has no such flag (default that of 'patchlab envtest')")
	f.StringVar(&address, "bind-address", "127.0.0.1", "address to listen on")
	f.StringVar(&port, "secure-port", "6443", "port to listen on; 0 selects a free port")
	f.StringVar(&o.certificates.folder, "cert-dir", "", "folder with apiserver.crt and apiserver.key; without them, a certificate is generated")
	f.StringVar(&o.certificates.cert, "tls-cert-file", "", "PEM file of the server's certificate, instead of that in --cert-dir")
	f.StringVar(&o.certificates.key, "tls-private-key-file", "", "PEM file of the private key of --tls-cert-file")
	f.StringVar(&o.clientCA, "client-ca-file", "", "PEM file of the authorities whose certificates authenticate clients")
	f.StringSliceVar(&modes, "authorization-mode", nil, "comma-separated list: with RBAC, requests are refused that the roles of their users do not allow")
	f.StringSliceVar(&enabled, "enable-admission-plugins", nil, "comma-separated list of admission plugins to run; those that kube-apiserver enables by default run already")
	f.StringSliceVar(&disabled, "disable-admission-plugins", nil, "comma-separated list of admission plugins not to run")
	return c
}

// printVersion prints the version in the form of kube-apiserver.
func (a *App) printVersion(version string) error {
	catalog, err := schema.Builtin(minorVersion(version))
	if err != nil {
		return err
	}
	a.print("Kubernetes " + server.GitVersion(catalog.Version()) + "\n")
	return nil
}

// ignoredFlags returns the flags that have no effect, except those that envtest always sets.
func (a *App) ignoredFlags(c *cobra.Command) []string {
	var ignored []string
	for _, arg := range a.args {
		name, isFlag := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && c.Flags().Lookup(name) == nil && !slices.Contains(inert, name) && !slices.Contains(ignored, "--"+name) {
			ignored = append(ignored, "--"+name)
		}
	}
	return ignored
}

// missingPlugins returns those of the enabled admission plugins that are not implemented.
func (a *App) missingPlugins(enabled []string) []string {
	known := append(plugins.Names(a.Plugins...), admissionParts...)
	return slices.DeleteFunc(slices.Clone(enabled), func(name string) bool { return slices.Contains(known, name) })
}

// withoutDisabled returns the admission plugins to run. All that patchlab implements are enabled by
// default in kube-apiserver, so only the disabled ones are missing.
func (a *App) withoutDisabled(disabled []string) []string {
	return slices.DeleteFunc(plugins.Names(a.Plugins...), func(name string) bool { return slices.Contains(disabled, name) })
}

// admissionParts are the admission plugins of kube-apiserver that patchlab-admission always runs.
var admissionParts = []string{
	"MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook",
}

// readAuthorities reads the file of --client-ca-file.
func readAuthorities(name string) ([]byte, *x509.CertPool, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--client-ca-file %w", manifest.FileError(name, err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, nil, errors.New("--client-ca-file " + name + ": the file contains no certificate in PEM")
	}
	return data, pool, nil
}

// serving returns the server's certificate: that of the files, or a new one for the given hosts.
func (f *certificateFiles) serving(hosts []string) (*server.Certificate, error) {
	if (f.cert == "") != (f.key == "") {
		return nil, usage("--tls-cert-file and --tls-private-key-file must be used together")
	}
	cert := cmp.Or(f.cert, filepath.Join(f.folder, "apiserver.crt"))
	key := cmp.Or(f.key, filepath.Join(f.folder, "apiserver.key"))
	data, err := os.ReadFile(cert)
	if f.cert == "" && errors.Is(err, fs.ErrNotExist) {
		return server.SelfSigned(time.Now(), hosts...)
	}
	if err != nil {
		return nil, fmt.Errorf("the server's certificate: %w", manifest.FileError(cert, err))
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s: %w", cert, key, err)
	}
	return &server.Certificate{TLS: pair, PEM: data}, nil
}
