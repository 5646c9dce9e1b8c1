package serving

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/schema"
)

type serveOptions struct {
	listen      string
	hosts       []string
	CRDs, load  []string
	kubeconfig  string
	token       string
	tokenFile   string
	clientCA    string // file
	controllers string
	strict      bool
	issuer      string // of the tokens of service accounts
	keys        tokenKeys
	ipRange     string // of cluster IPs, see serviceRanges
	plugins     []string
	disabled    []string // of the admission plugins that this program runs without being asked
	authorize   string
	roles       bool
	tls         bool
	kubeVersion string
	defaults    bool
	log         bool
	logFormat   string
	admission   bool
	aggregation bool
	engine      program.EngineFlag
	store       storeFlags
	// certificates are the files of a server that is called kube-apiserver; nil for all others.
	certificates *certificateFiles
	advertise    netip.Addr // the address that it publishes; the zero Addr for one of this machine
	// notes are printed by the program that serves, which may be another one.
	notes []string
}

// The values of --authorization-mode.
const (
	alwaysAllow = "AlwaysAllow"
	byRoles     = "RBAC"
)

// podSecurity is an admission plugin that only some programs have.
const podSecurity = "PodSecurity"

// ServeCommand returns the command serve.
func ServeCommand(a *program.App) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run an API server in memory for kubectl, client-go and other clients",
		Long: `Serve the Kubernetes API from memory. Requests get the responses of kube-apiserver;
objects are lost when the command stops (Ctrl-C). With --store etcd, objects are
stored in etcd, and several servers that share an etcd cluster serve the same
objects. Pods are not started. Controllers run only if --controllers names them or an
admission plugin needs them: without namespace and gc, a deleted namespace remains in
phase Terminating, and objects deleted with --cascade=foreground or orphan are not
removed (use --controllers namespace,gc, or "kubectl delete --wait=false").

Requests from web pages of other origins are refused, as are Host headers other than
localhost, IP addresses and the names of --allow-host.

When the server is ready, it prints "serving on URL" as the first line on standard
output. The health endpoint is /healthz, the metrics endpoint is /metrics.

` + program.ExitHelpOf(map[int]string{program.ExitRefused: "the server could not be started or failed"}),
		Example: `  # Serve custom resources, and connect with kubectl
  patchlab serve --crd crds/ --kubeconfig /tmp/lab.yaml
  kubectl --kubeconfig /tmp/lab.yaml apply --server-side -f widget.yaml

  # Run the controllers that complete deletions
  patchlab serve --controllers namespace,gc --strict-namespaces

  # Run the admission plugins of kube-apiserver, such as LimitRanger and Priority
  patchlab serve --enable-admission-plugins default

  # Enforce ResourceQuotas
  patchlab serve --enable-admission-plugins ResourceQuota

  # Refuse what the roles of service accounts and impersonated users do not allow
  patchlab serve --authorization-mode RBAC --controllers roles --tls --kubeconfig /tmp/lab.yaml

  # Listen on a free port with TLS and a token, and load objects at startup
  patchlab serve --listen 127.0.0.1:0 --tls --token-file token --load objects/

  # Store objects in etcd
  patchlab serve --store etcd --etcd-endpoints http://127.0.0.1:2379`,
		Args: program.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error { return runServer(c.Context(), a, &o) },
	}
	o.engine.Add(c)
	o.store.add(c)
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8001", "address to listen on; port 0 selects a free port")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "host name, in addition to localhost and IP addresses, that clients can use in requests (repeatable)")
	f.StringArrayVar(&o.CRDs, "crd", nil, "file or folder of CustomResourceDefinitions to create at startup (repeatable)")
	f.StringArrayVar(&o.load, "load", nil, "file or folder of objects to load at startup, such as a dump of a cluster, with their uid, status and managedFields (repeatable)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "add a context for this server to the kubeconfig FILE, which is created if necessary, and make it the current context")
	f.StringVar(&o.token, "token", "", "bearer token that clients must send; it is visible to other users of this machine in the process list")
	f.StringVar(&o.tokenFile, "token-file", "", "file that contains the bearer token")
	f.StringVar(&o.clientCA, "client-ca-file", "", "PEM file of the authorities whose certificates authenticate clients, with --tls: the common name is the user, the organizations are its groups")
	f.BoolVar(&o.tls, "tls", false, "serve HTTPS with a certificate that is generated at startup and included in the kubeconfig")
	f.StringVar(&o.kubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds, such as 1.33 (default "+schema.DefaultVersion+")")
	f.BoolVar(&o.defaults, "defaults", true, "set the default values of built-in kinds, and allocate addresses and ports for Services")
	f.BoolVar(&o.admission, "admission", true, "run CEL rules, admission policies, admission webhooks and conversion webhooks")
	f.BoolVar(&o.aggregation, "aggregation", true, "forward requests for the versions of APIServices with a service to extension API servers")
	f.StringVar(&o.controllers, "controllers", "", "comma-separated list of controllers to run: namespace (deletes the contents of terminating namespaces), gc (garbage collection), roles (aggregated ClusterRoles such as edit), quota (the status of ResourceQuotas; runs with the admission plugin ResourceQuota), serviceaccount (the account default of each namespace; runs with the admission plugin ServiceAccount); "+noControllers+" runs none, not even with these plugins, as beside a kube-controller-manager")
	_ = c.RegisterFlagCompletionFunc("controllers", cobra.FixedCompletions([]string{"namespace", "gc", "roles", "quota", "serviceaccount", noControllers}, cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.strict, "strict-namespaces", false, "refuse to create objects in namespaces that do not exist or are being deleted")
	f.StringSliceVar(&o.plugins, "enable-admission-plugins", nil, "comma-separated list of kube-apiserver's admission plugins to run, such as LimitRanger,Priority; "+plugins.Default+" runs all that patchlab implements")
	program.OneOf(c, &o.authorize, "authorization-mode", "", alwaysAllow, "AlwaysAllow, or RBAC to refuse requests that the roles of their users do not allow; implies --bootstrap-roles", alwaysAllow, byRoles)
	f.StringVar(&o.ipRange, "service-cluster-ip-range", "", "range of the cluster IPs of Services, or comma-separated ranges of IPv4 and IPv6, the default family first (default 10.96.0.0/16, but any other IP of IPv4 can be requested)")
	f.StringVar(&o.issuer, "service-account-issuer", "", "issuer of the tokens of service accounts, which is also the audience of the API (default "+cluster.Issuer+")")
	o.keys.add(f)
	f.BoolVar(&o.roles, "bootstrap-roles", false, "create the roles and bindings with which kube-apiserver begins")
	f.BoolVar(&o.log, "request-log", false, "log every request to standard error")
	program.OneOf(c, &o.logFormat, "log-format", "", "text", "log format: text or json", "text", "json")
	_ = c.RegisterFlagCompletionFunc("enable-admission-plugins", cobra.FixedCompletions(append(plugins.Names(a.Plugins...), plugins.Default), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("kube-version", cobra.FixedCompletions(schema.Versions(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// noControllers is the value of --controllers for none at all.
const noControllers = "none"

// services returns the controllers to run: those of --controllers and, unless none are to run,
// those on which the admission plugins depend.
func (o *serveOptions) services() (controllers.Options, error) {
	if o.controllers == noControllers {
		return controllers.Options{}, nil
	}
	services, err := controllers.Parse(o.controllers)
	if err != nil {
		return services, program.Usage("--controllers: " + err.Error() + "; " + noControllers + " alone runs no controllers")
	}
	if o.certificates == nil {
		services = services.ForPlugins(o.plugins)
	}
	return services, nil
}

// check returns an error for flags that are invalid by themselves.
func (o *serveOptions) check() error {
	for _, host := range o.hosts {
		if _, err := netip.ParseAddr(host); err != nil && strings.ContainsAny(host, "/:*") {
			return program.Usage("--allow-host " + host + ": expected a host name such as lab.example.com, without scheme and port")
		}
	}
	if o.clientCA != "" && !o.tls {
		return program.Usage("--client-ca-file requires --tls: clients present certificates over TLS only")
	}
	if _, err := schema.Builtin(inputs.MinorVersion(o.kubeVersion)); err != nil {
		return program.Usage("--kube-version " + o.kubeVersion + ": supported versions are " + strings.Join(schema.Versions(), ", "))
	}
	return o.store.check()
}

// serviceRanges returns the ranges of --service-cluster-ip-range, nil for none.
func (o *serveOptions) serviceRanges() (ranges []netip.Prefix, err error) {
	wrong := func(why string) error { return program.Usage("--service-cluster-ip-range " + o.ipRange + ": " + why) }
	for text := range strings.SplitSeq(o.ipRange, ",") {
		if text == "" {
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, wrong("expected a range such as 10.96.0.0/16, or one of each IP family such as 10.96.0.0/16,fd00::/108")
		}
		ranges = append(ranges, p)
	}
	if err := cluster.CheckServiceRanges(ranges); err != nil {
		return nil, wrong(err.Error())
	}
	return ranges, nil
}

// readToken reads the token from its file.
func (o *serveOptions) readToken() error {
	if o.tokenFile == "" {
		return nil
	}
	if o.token != "" {
		return program.Usage("--token and --token-file cannot be used together")
	}
	data, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file %w", manifest.FileError(o.tokenFile, err))
	}
	if o.token = strings.TrimSpace(string(data)); o.token == "" {
		return fmt.Errorf("--token-file %s: the file is empty", o.tokenFile)
	}
	if strings.ContainsFunc(o.token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("--token-file %s: the file must contain nothing but the token, in ASCII without spaces and line breaks", o.tokenFile)
	}
	return nil
}

// AnonymousAdmin is the user of requests without credentials, unless the server authenticates clients. Such a
// server allows everything, so it is a member of system:masters.
func AnonymousAdmin() cluster.User {
	return cluster.User{Name: "admin", UID: "admin", Groups: []string{"system:masters", "system:authenticated"}}
}

// logger returns the logger for requests, which writes to standard error. Without
// --request-log it logs only internal errors.
func logger(a *program.App, o *serveOptions) *slog.Logger {
	handler := &slog.HandlerOptions{Level: slog.LevelError}
	if o.log {
		handler.Level = slog.LevelInfo
	}
	if o.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.Err, handler))
	}
	return slog.New(slog.NewTextHandler(a.Err, handler))
}
