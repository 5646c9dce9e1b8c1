package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/rbac"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server"
)

type serveOptions struct {
	listen      string
	hosts       []string
	crds, load  []string
	kubeconfig  string
	token       string
	tokenFile   string
	clientCA    string // file
	controllers string
	strict      bool
	issuer      string // of the tokens of service accounts
	ipRange     string // of cluster IPs, see serviceRange
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
	engine      engineFlag
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

func (a *App) serveCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run an API server in memory for kubectl, client-go and other clients",
		Long: `Serve the Kubernetes API from memory. Requests get the responses of kube-apiserver;
objects are lost when the command stops (Ctrl-C). With --store etcd, objects are
stored in etcd, and several servers that share an etcd cluster serve the same
objects. Pods are not started, and controllers run only if --controllers is set:
without them, a deleted namespace remains in phase Terminating, and objects deleted
with --cascade=foreground or orphan are not removed (use --controllers namespace,gc,
or "kubectl delete --wait=false").

Requests from web pages of other origins are refused, as are Host headers other than
localhost, IP addresses and the names of --allow-host.

When the server is ready, it prints "serving on URL" as the first line on standard
output. The health endpoint is /healthz, the metrics endpoint is /metrics.

` + exitHelpOf(map[int]string{exitRefused: "the server could not be started or failed"}),
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
		Args: arguments(),
		RunE: func(c *cobra.Command, _ []string) error { return a.serve(c.Context(), &o) },
	}
	o.engine.add(c)
	o.store.add(c)
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8001", "address to listen on; port 0 selects a free port")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "host name, in addition to localhost and IP addresses, that clients can use in requests (repeatable)")
	f.StringArrayVar(&o.crds, "crd", nil, "file or folder of CustomResourceDefinitions to create at startup (repeatable)")
	f.StringArrayVar(&o.load, "load", nil, "file or folder of objects to load at startup, such as a dump of a cluster, with their uid, status and managedFields (repeatable)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "add a context for this server to the kubeconfig FILE, which is created if necessary, and make it the current context")
	f.StringVar(&o.token, "token", "", "bearer token that clients must send; it is visible to other users of this machine in the process list")
	f.StringVar(&o.tokenFile, "token-file", "", "file that contains the bearer token")
	f.StringVar(&o.clientCA, "client-ca-file", "", "PEM file of the authorities whose certificates authenticate clients, with --tls: the common name is the user, the organizations are its groups")
	f.BoolVar(&o.tls, "tls", false, "serve HTTPS with a certificate that is generated at startup and included in the kubeconfig")
	f.StringVar(&o.kubeVersion, "kube-version", "", "Kubernetes version of the built-in kinds, such as 1.33 (default "+schema.DefaultVersion+")")
	f.BoolVar(&o.defaults, "defaults", true, "set the default values of built-in kinds, and allocate addresses and ports for Services")
	f.BoolVar(&o.admission, "admission", true, "run CEL rules, admission policies, admission webhooks and conversion webhooks")
	f.StringVar(&o.controllers, "controllers", "", "comma-separated list of controllers to run: namespace (deletes the contents of terminating namespaces), gc (garbage collection), roles (aggregated ClusterRoles such as edit), quota (the status of ResourceQuotas; runs with the admission plugin ResourceQuota), serviceaccount (the account default of each namespace; runs with the admission plugin ServiceAccount); "+noControllers+" runs none, not even with these plugins, as beside a kube-controller-manager")
	_ = c.RegisterFlagCompletionFunc("controllers", cobra.FixedCompletions([]string{"namespace", "gc", "roles", "quota", "serviceaccount", noControllers}, cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.strict, "strict-namespaces", false, "refuse to create objects in namespaces that do not exist or are being deleted")
	f.StringSliceVar(&o.plugins, "enable-admission-plugins", nil, "comma-separated list of kube-apiserver's admission plugins to run, such as LimitRanger,Priority; "+plugins.Default+" runs all that patchlab implements")
	f.StringVar(&o.authorize, "authorization-mode", alwaysAllow, "AlwaysAllow, or RBAC to refuse requests that the roles of their users do not allow; implies --bootstrap-roles")
	f.StringVar(&o.ipRange, "service-cluster-ip-range", "", "IPv4 range of the cluster IPs of Services (default 10.96.0.0/16, but any other IP can be requested)")
	f.StringVar(&o.issuer, "service-account-issuer", "", "issuer of the tokens of service accounts, which is also the audience of the API (default "+cluster.Issuer+")")
	f.BoolVar(&o.roles, "bootstrap-roles", false, "create the roles and bindings with which kube-apiserver begins")
	f.BoolVar(&o.log, "request-log", false, "log every request to standard error")
	f.StringVar(&o.logFormat, "log-format", "text", "log format: text or json")
	_ = c.RegisterFlagCompletionFunc("enable-admission-plugins", cobra.FixedCompletions(append(plugins.Names(a.Plugins...), plugins.Default), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("authorization-mode", cobra.FixedCompletions([]string{alwaysAllow, byRoles}, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("log-format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
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
		return services, usage("--controllers: " + err.Error() + "; " + noControllers + " runs none")
	}
	if o.certificates == nil {
		services = services.ForPlugins(o.plugins)
	}
	return services, nil
}

func (a *App) serve(ctx context.Context, o *serveOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.store.elsewhere(a) {
		return a.handOverTo(ctx, etcdProgram, "--store etcd", "github.com/patchlab-dev/patchlab/cmd/"+etcdProgram)
	}
	if o.engine.elsewhere(a) {
		return a.handOver(ctx, "--engine reference")
	}
	services, err := o.services()
	if err != nil {
		return err
	}
	if err := o.readToken(); err != nil {
		return err
	}
	tokens := &server.Tokens{URL: o.issuer}
	config := cluster.Config{
		Version: minorVersion(o.kubeVersion), NoDefaults: !o.defaults, Addresses: o.defaults, Now: a.Now, StrictNamespaces: o.strict,
		Tokens: tokens,
	}
	if config.ServiceRange, err = o.serviceRange(); err != nil {
		return err
	}
	if done, err := a.configureAdmission(ctx, o, &config); done || err != nil {
		return err
	}
	defer collectRarely()()
	options := server.Options{Token: o.token, Tokens: tokens, VerifyTokens: o.authorize == byRoles, Now: a.Now, User: anonymousAdmin(), Hosts: o.hosts}
	if o.certificates != nil {
		options.VerifyTokens, options.User = true, cluster.User{} // without credentials, system:anonymous
	}
	var authorities []byte
	if o.clientCA != "" {
		if authorities, options.ClientCAs, err = readAuthorities(o.clientCA); err != nil {
			return err
		}
	}
	// Whatever is wrong with the flags and files is found before the first object is written, because the
	// store may be etcd.
	initial, err := a.readInitialObjects(o)
	if err != nil {
		return err
	}
	l, certificate, err := o.listener(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := o.store.open(ctx, a, &config, &options); err != nil {
		return err
	}
	c, err := cluster.New(config)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	c.Compute("", "componentstatuses", server.ComponentStatuses(options.Health))
	if err := a.createInitialObjects(ctx, c, o, initial); err != nil {
		return err
	}
	at, ok := o.advertised(l.Addr(), localAddress)
	if !ok {
		at = netip.AddrPort{}
	}
	defer a.holdLease(ctx, c, at)()
	if ok {
		if err := controllers.PublishAddress(ctx, c, at); err != nil {
			return err
		}
	}
	if authorities != nil {
		if err := controllers.PublishAuthorities(ctx, c, authorities); err != nil {
			return err
		}
	}
	if o.store.compaction > 0 {
		go c.CompactEvery(ctx, o.store.compaction)
	}
	address := addressOf(l.Addr(), certificate != nil)
	if o.kubeconfig != "" {
		if err := mergeKubeconfig(o.kubeconfig, access{address, o.token, certificate}); err != nil {
			return err
		}
	}
	a.noteAccess(o, l.Addr())
	if name, err := os.Hostname(); err == nil && !loopback(l.Addr()) {
		options.Hosts = append(options.Hosts, name)
	}
	logger := a.logger(o)
	options.Log = server.LogTo(logger)
	if a.Log != nil {
		a.Log(logger)
	}
	if _, err := fmt.Fprintf(a.Out, "serving on %s\n", address); err != nil {
		return err
	}
	defer inBackground(ctx, func(ctx context.Context) { controllers.Maintain(ctx, c, at) })()
	if services.Any() {
		services.Fault = func(err error) { a.note("controllers: " + err.Error()) }
		defer inBackground(ctx, func(ctx context.Context) {
			if err := controllers.Run(ctx, c, services); err != nil {
				a.note("controllers: " + err.Error())
			}
		})()
	}
	var pair *tls.Certificate
	if certificate != nil {
		pair = &certificate.TLS
	}
	var served server.Cluster = c
	if o.authorize == byRoles {
		authorized := rbac.Cluster{Cluster: c}
		served, options.Authorizer = authorized, authorized
	}
	return server.New(served, options).Serve(ctx, l, pair)
}

// holdLease creates the Lease of this server until release is called. The server runs without it if the name of
// the machine is not the value of a label.
func (a *App) holdLease(ctx context.Context, c *cluster.Cluster, at netip.AddrPort) (release func()) {
	hostname, err := os.Hostname()
	if err == nil {
		release, err = controllers.HoldLease(ctx, c, hostname, at)
	}
	if err != nil {
		a.note("warning: the server has no Lease in kube-system: " + err.Error())
		return func() {}
	}
	return release
}

// check returns an error for flags that are invalid by themselves.
func (o *serveOptions) check() error {
	if o.logFormat != "text" && o.logFormat != "json" {
		return usage("--log-format " + o.logFormat + ": expected text or json")
	}
	if o.authorize != alwaysAllow && o.authorize != byRoles {
		return usage("--authorization-mode " + o.authorize + ": expected " + alwaysAllow + " or " + byRoles)
	}
	if o.clientCA != "" && !o.tls {
		return usage("--client-ca-file requires --tls: clients present certificates over TLS only")
	}
	if _, err := schema.Builtin(minorVersion(o.kubeVersion)); err != nil {
		return usage("--kube-version " + o.kubeVersion + ": supported versions are " + strings.Join(schema.Versions(), ", "))
	}
	if err := o.engine.check(); err != nil {
		return err
	}
	return o.store.check()
}

// serviceRange returns the IPv4 range of --service-cluster-ip-range. kube-apiserver also takes one of
// IPv6, which has no effect here.
func (o *serveOptions) serviceRange() (netip.Prefix, error) {
	for text := range strings.SplitSeq(o.ipRange, ",") {
		if text == "" {
			continue
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return p, usage("--service-cluster-ip-range " + o.ipRange + ": expected a range such as 10.96.0.0/16")
		}
		if p.Addr().Is4() && p.Bits() > cluster.MaxServiceBits {
			return p, usage("--service-cluster-ip-range " + o.ipRange + ": the range must have at least eight addresses")
		}
		if p.Addr().Is4() {
			return p, nil
		}
	}
	return netip.Prefix{}, nil
}

// configureAdmission configures rules, webhooks, admission plugins and authorization. done is true
// if another program, which has the libraries for the first two, has served in place of this one.
func (a *App) configureAdmission(ctx context.Context, o *serveOptions, config *cluster.Config) (done bool, err error) {
	if o.admission {
		if done, err := a.admit(ctx, config, AdmissionOptions{RBAC: o.authorize == byRoles, Disabled: o.disabled}); done || err != nil {
			return done, err
		}
	}
	for _, note := range o.notes {
		a.note(note)
	}
	if a.Plugins == nil && slices.Contains(o.plugins, podSecurity) {
		return false, usage("--enable-admission-plugins " + podSecurity + ": this plugin is part of the program " + admissionProgram +
			", which was found neither in the directory of patchlab nor on the PATH, or is disabled by --admission=false\n" + howToInstall(admissionPackage))
	}
	if err := plugins.Configure(config, o.plugins, a.Plugins...); err != nil {
		return false, usage("--enable-admission-plugins: " + err.Error())
	}
	if o.authorize == byRoles {
		o.roles = true
		return false, rbac.Configure(config)
	}
	return false, nil
}

// listener listens on the address of the server. The certificate is nil without TLS.
func (o *serveOptions) listener(ctx context.Context) (l net.Listener, certificate *server.Certificate, err error) {
	flag := "--listen"
	if o.certificates != nil {
		flag = "--secure-port"
	}
	if l, err = listenOn(ctx, flag, o.listen); err != nil {
		return nil, nil, err
	}
	switch {
	case o.token != "" && !o.tls && !loopback(l.Addr()):
		err = usage("the token would be sent to " + l.Addr().String() + " unencrypted: add --tls, or listen on 127.0.0.1")
	case o.certificates != nil:
		certificate, err = o.certificates.serving(hostsOf(l.Addr()))
	case o.tls:
		certificate, err = server.SelfSigned(time.Now(), hostsOf(l.Addr())...)
	}
	if err != nil {
		_ = l.Close()
	}
	return l, certificate, err
}

// noteAccess prints who can and who cannot use the server, where that may surprise, and what it does
// not support.
func (a *App) noteAccess(o *serveOptions, address net.Addr) {
	plainToken := o.token != "" && !o.tls
	switch {
	case plainToken && o.authorize == byRoles:
		a.note("warning: kubectl sends no token over plain HTTP, so that its requests are those of system:anonymous, who may do almost nothing (403); add --tls")
	case plainToken && o.kubeconfig != "":
		a.note("warning: kubectl and other clients that read the kubeconfig file send no token over plain HTTP, so that they are refused (401); add --tls")
	}
	if !loopback(address) && o.token == "" && o.certificates == nil {
		a.note("warning: " + address.String() + " can be reached from other machines, and every client has full access; set --token-file to require a token")
	}
	if o.authorize == byRoles && !o.tls && o.token == "" {
		a.note("note: kubectl sends tokens only over TLS, and a request without a token may do everything; add --tls to use tokens of service accounts")
	}
	switch {
	case o.certificates != nil:
		a.noteNoAdmission("")
	case o.admission:
		a.noteNoAdmission("; --admission=false suppresses this note")
	}
}

// inBackground calls a function whose context ends when stop is called; stop waits until it has returned.
func inBackground(ctx context.Context, run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	return func() { cancel(); <-done }
}

// readToken reads the token from its file.
func (o *serveOptions) readToken() error {
	if o.tokenFile == "" {
		return nil
	}
	if o.token != "" {
		return usage("--token and --token-file cannot be used together")
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

// anonymousAdmin is the user of requests without credentials, unless the server authenticates clients. Such a
// server allows everything, so it is a member of system:masters.
func anonymousAdmin() cluster.User {
	return cluster.User{Name: "admin", UID: "admin", Groups: []string{"system:masters", "system:authenticated"}}
}

// logger returns the logger for requests, which writes to standard error. Without
// --request-log it logs only internal errors.
func (a *App) logger(o *serveOptions) *slog.Logger {
	handler := &slog.HandlerOptions{Level: slog.LevelError}
	if o.log {
		handler.Level = slog.LevelInfo
	}
	if o.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(a.Err, handler))
	}
	return slog.New(slog.NewTextHandler(a.Err, handler))
}

// initialObjects are the objects of --crd and --load.
type initialObjects struct{ crds, loaded []manifest.Object }

func (a *App) readInitialObjects(o *serveOptions) (initialObjects, error) {
	var initial initialObjects
	var err error
	if initial.crds, err = a.crds(o.crds, nil); err != nil {
		return initial, err
	}
	source := a.source()
	source.Recursive = true
	loaded, skipped, err := source.Objects(o.load...)
	if len(skipped) > 0 {
		a.note("--load: " + notObjects(skipped))
	}
	initial.loaded = loaded
	return initial, err
}

// createInitialObjects creates the initial objects of the server: those that every cluster has,
// CustomResourceDefinitions, and objects.
func (a *App) createInitialObjects(ctx context.Context, c *cluster.Cluster, o *serveOptions, initial initialObjects) error {
	if err := controllers.Bootstrap(ctx, c, o.roles); err != nil {
		return err
	}
	const manager = "patchlab/serve"
	if err := manifest.Load(ctx, c, manager, initial.crds...); err != nil {
		return err
	}
	loaded := manifest.Missing(ctx, c, initial.loaded)
	if n := len(initial.loaded) - len(loaded); n > 0 {
		a.note("--load: " + count(n, "object that the cluster already has", "objects that the cluster already has") + " skipped")
	}
	manifest.SortForCreation(loaded)
	return manifest.Load(ctx, c, manager, loaded...)
}

// loopback reports whether an address is reachable only from this machine.
func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostsOf returns the host names with which clients may connect to the server.
func hostsOf(a net.Addr) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil && name != "" {
		hosts = append(hosts, name)
	}
	if tcp, ok := a.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		hosts = append(hosts, tcp.IP.String())
	}
	return hosts
}

// advertised returns the address of the server that is published in the cluster. As in kube-apiserver, it is that of
// this machine in its network if the server listens on loopback or on all addresses; a machine without a network has
// none, because Endpoints must not have a loopback address. local is localAddress.
func (o *serveOptions) advertised(a net.Addr, local func(netip.Addr) netip.Addr) (netip.AddrPort, bool) {
	listens, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.AddrPort{}, false
	}
	ip := listens.Addr()
	switch {
	case o.advertise.IsValid():
		ip = o.advertise
	case ip.IsLoopback(), ip.IsUnspecified():
		// No machine has these addresses, which are reserved for documentation: the default route leads to them.
		if ip = local(netip.MustParseAddr("192.0.2.1")); !ip.IsValid() {
			ip = local(netip.MustParseAddr("2001:db8::1"))
		}
	}
	return netip.AddrPortFrom(ip, listens.Port()), ip.IsValid() && !ip.IsLoopback() && !ip.IsUnspecified()
}

// localAddress returns the address of this machine from which packets to another address are sent; the zero Addr if
// they cannot be. It sends none.
func localAddress(to netip.Addr) netip.Addr {
	route, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(to, 9)))
	if err != nil {
		return netip.Addr{}
	}
	defer route.Close()
	from, err := netip.ParseAddrPort(route.LocalAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr()
}

// addressOf returns the URL of the server on this machine.
func addressOf(a net.Addr, secure bool) string {
	u := url.URL{Scheme: "http", Host: a.String()}
	if secure {
		u.Scheme = "https"
	}
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		u.Host = fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return u.String()
}
