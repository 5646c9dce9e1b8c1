package serving

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server"
)

// KubeAPIServer is the name under which envtest executes an API server.
const KubeAPIServer = "kube-apiserver"

// certificateFiles are the files of kube-apiserver's certificates.
type certificateFiles struct {
	folder    string // has apiserver.crt and apiserver.key unless cert and key are set
	cert, key string
}

// inert are the flags of kube-apiserver that envtest sets and that have no meaning or one fixed value
// here.
var inert = []string{
	"allow-privileged", "etcd-servers", "insecure-bind-address", "insecure-port", "v",
}

// kubeAPIServerOptions are the flags of kube-apiserver whose values differ from those of serve.
type kubeAPIServerOptions struct {
	serve                             serveOptions
	address, port, advertise          string
	modes, enabled, disabled, issuers []string
	version                           bool
}

// KubeAPIServerCommand is the command that serves with the flags of kube-apiserver.
func KubeAPIServerCommand(a *program.App) *cobra.Command {
	o := kubeAPIServerOptions{serve: serveOptions{
		defaults: true, admission: true, aggregation: true, tls: true, logFormat: "text", authorize: alwaysAllow,
		engine: program.EngineFlag{Name: "ours"}, store: storeFlags{name: "memory", compaction: defaultCompaction}, certificates: &certificateFiles{},
	}}
	c := &cobra.Command{
		Use:   KubeAPIServer,
		Short: "Run an API server in memory with the flags of kube-apiserver, for envtest",
		Long: `Serve the Kubernetes API from memory, as 'patchlab serve' does, with the flags of
kube-apiserver that envtest uses. Clients authenticate by certificates or by tokens of
service accounts. Other flags of kube-apiserver are accepted and have no effect.`,
		Hidden:             true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Args:               program.Arguments(),
		RunE:               func(c *cobra.Command, _ []string) error { return kubeAPIServer(a, c, &o) },
	}
	f := c.Flags()
	f.BoolVar(&o.version, "version", false, "print the version and exit")
	f.StringVar(&o.serve.kubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds; kube-apiserver has no such flag (default that of 'patchlab envtest')")
	f.StringVar(&o.address, "bind-address", "127.0.0.1", "address to listen on")
	f.StringVar(&o.advertise, "advertise-address", "", "address that the Endpoints of Service kubernetes have (default one of this machine)")
	f.StringVar(&o.port, "secure-port", "6443", "port to listen on; 0 selects a free port")
	f.StringVar(&o.serve.certificates.folder, "cert-dir", "", "folder with apiserver.crt and apiserver.key; without them, a certificate is generated")
	f.StringVar(&o.serve.certificates.cert, "tls-cert-file", "", "PEM file of the server's certificate, instead of that in --cert-dir")
	f.StringVar(&o.serve.certificates.key, "tls-private-key-file", "", "PEM file of the private key of --tls-cert-file")
	f.StringVar(&o.serve.clientCA, "client-ca-file", "", "PEM file of the authorities whose certificates authenticate clients")
	f.StringVar(&o.serve.ipRange, "service-cluster-ip-range", "", "range of the cluster IPs of Services, or comma-separated ranges of IPv4 and IPv6, the default family first (default 10.96.0.0/16, but any other IP of IPv4 can be requested)")
	f.StringSliceVar(&o.issuers, "service-account-issuer", nil, "issuer of the tokens of service accounts, which is also the audience of the API; of several, the first one")
	o.serve.keys.add(f)
	f.StringSliceVar(&o.modes, "authorization-mode", nil, "comma-separated list: with RBAC, requests are refused that the roles of their users do not allow")
	f.StringSliceVar(&o.enabled, "enable-admission-plugins", nil, "comma-separated list of admission plugins to run; those that kube-apiserver enables by default run already")
	f.StringSliceVar(&o.disabled, "disable-admission-plugins", nil, "comma-separated list of admission plugins not to run")
	return c
}

// kubeAPIServer converts the flags of kube-apiserver to those of serve, and serves.
func kubeAPIServer(a *program.App, c *cobra.Command, o *kubeAPIServerOptions) error {
	serve := &o.serve
	if serve.kubeVersion == "" {
		installed, err := installedVersion()
		if err != nil {
			return err
		}
		serve.kubeVersion = installed
		a.Args = append(a.Args, "--kube-version="+installed) // for a program that does the work in another folder
	}
	if o.version {
		return printVersion(a, serve.kubeVersion)
	}
	if err := o.check(); err != nil {
		return err
	}
	if ignored := ignoredFlags(a, c); len(ignored) > 0 {
		serve.notes = append(serve.notes, "note: flags that have no effect here: "+strings.Join(ignored, ", "))
	}
	if missing := missingPlugins(a, o.enabled); len(missing) > 0 {
		serve.notes = append(serve.notes, "note: admission plugins that patchlab does not implement: "+strings.Join(missing, ", "))
	}
	if len(o.issuers) > 0 {
		serve.issuer = o.issuers[0]
	}
	serve.listen = net.JoinHostPort(o.address, o.port)
	if o.advertise != "" {
		ip, err := netip.ParseAddr(o.advertise)
		if err != nil {
			return program.Usage("--advertise-address " + o.advertise + ": expected an IP address")
		}
		serve.advertise = ip
	}
	if slices.Contains(o.modes, byRoles) {
		serve.authorize = byRoles
	} else {
		serve.token = rand.Text() // nobody has it: without authorization, kube-apiserver refuses anonymous requests
	}
	serve.plugins, serve.disabled = withoutDisabled(a, o.disabled), o.disabled
	return runServer(c.Context(), a, serve)
}

// check returns an error for values with which kube-apiserver does not start, or which patchlab cannot run.
func (o *kubeAPIServerOptions) check() error {
	if err := checkPlugins("--enable-admission-plugins", o.enabled); err != nil {
		return err
	}
	if err := checkPlugins("--disable-admission-plugins", o.disabled); err != nil {
		return err
	}
	return checkModes(o.modes)
}

// printVersion prints the version in the form of kube-apiserver.
func printVersion(a *program.App, version string) error {
	catalog, err := schema.Builtin(inputs.MinorVersion(version))
	if err != nil {
		return err
	}
	a.Print("Kubernetes " + server.GitVersion(catalog.Version()) + "\n")
	return nil
}

// ignoredFlags returns the flags that have no effect, except those that envtest always sets.
func ignoredFlags(a *program.App, c *cobra.Command) []string {
	var ignored []string
	for _, arg := range a.Args {
		name, isFlag := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && c.Flags().Lookup(name) == nil && !slices.Contains(inert, name) && !slices.Contains(ignored, "--"+name) {
			ignored = append(ignored, "--"+name)
		}
	}
	return ignored
}

// authorizationModes are the modes of kube-apiserver. Only RBAC has an effect; the others are accepted
// beside it.
var authorizationModes = []string{"AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"}

// checkModes returns an error for an authorization mode that kube-apiserver does not know, or that
// patchlab cannot run.
func checkModes(modes []string) error {
	for _, mode := range modes {
		if !slices.Contains(authorizationModes, mode) {
			return program.Usage("--authorization-mode " + mode + ": expected some of " + strings.Join(authorizationModes, ", "))
		}
	}
	if slices.Contains(modes, "AlwaysDeny") {
		return program.Usage("--authorization-mode AlwaysDeny: patchlab does not implement this mode")
	}
	return nil
}

// otherPlugins are the admission plugins of kube-apiserver 1.30 to 1.37 that patchlab does not
// implement.
var otherPlugins = []string{
	"AlwaysAdmit", "AlwaysDeny", "AlwaysPullImages", "CertificateApproval", "CertificateSigning",
	"ClusterTrustBundleAttest", "DenyServiceExternalIPs", "EventRateLimit", "ExtendedResourceToleration",
	"ImagePolicyWebhook", "JobValidation", "LimitPodHardAntiAffinityTopology", "NamespaceAutoProvision",
	"NamespaceExists", "NodeRestriction", "OwnerReferencesPermissionEnforcement", "PersistentVolumeLabel",
	"PodGroupProtection", "PodGroupWorkloadExists", "PodNodeSelector", "PodTolerationRestriction",
	"SecurityContextDeny",
}

// checkPlugins returns an error for an admission plugin that kube-apiserver does not know. It does not
// start with one.
func checkPlugins(flag string, names []string) error {
	for _, name := range names {
		if !slices.Contains(otherPlugins, name) && !slices.Contains(admissionParts, name) && !slices.Contains(plugins.Names(), name) && name != podSecurity {
			return program.Usage(flag + " " + name + ": kube-apiserver has no such admission plugin")
		}
	}
	return nil
}

// missingPlugins returns those of the enabled admission plugins that are not implemented.
func missingPlugins(a *program.App, enabled []string) []string {
	known := append(plugins.Names(a.Plugins...), admissionParts...)
	return slices.DeleteFunc(slices.Clone(enabled), func(name string) bool { return slices.Contains(known, name) })
}

// withoutDisabled returns the admission plugins to run. All that patchlab implements are enabled by
// default in kube-apiserver, so only the disabled ones are missing.
func withoutDisabled(a *program.App, disabled []string) []string {
	return slices.DeleteFunc(plugins.Names(a.Plugins...), func(name string) bool { return slices.Contains(disabled, name) })
}

// admissionParts are the admission plugins of kube-apiserver that package admission implements, which
// run unless they are disabled.
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
		return nil, program.Usage("--tls-cert-file and --tls-private-key-file must be used together")
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
