// Package serving has the commands that run an API server, and those that stand in for the programs that
// envtest starts.
package serving

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/rbac"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server"
)

// serving is a server that is being started. The steps of serve fill it in from top to bottom.
type serving struct {
	app   *program.App
	flags *serveOptions

	services    controllers.Options
	config      cluster.Config
	options     server.Options
	authorities []byte // of --client-ca-file, PEM; nil for none
	initial     initialObjects
	aggregator  *aggregation.Aggregator // nil with --aggregation=false
	listener    net.Listener
	certificate *server.Certificate // nil without TLS
	// at is the address that is published in the cluster, the zero AddrPort if this machine has none.
	at netip.AddrPort
}

// runServer runs an API server until the context ends. Whatever is wrong with the flags and files is found before
// the first object is written, because the store may be etcd.
func runServer(ctx context.Context, a *program.App, o *serveOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.store.elsewhere(a) {
		return a.HandOverTo(ctx, etcdProgram, "--store etcd", "github.com/patchlab-dev/patchlab/cmd/"+etcdProgram)
	}
	if o.engine.Elsewhere(a) {
		return a.HandOver(ctx, "--engine reference")
	}
	s := &serving{app: a, flags: o}
	if done, err := s.configure(ctx); done || err != nil {
		return err
	}
	a.Collection.Allow(program.ServerGarbage)
	if err := s.readInitialObjects(); err != nil {
		return err
	}
	if err := s.listen(ctx); err != nil {
		return err
	}
	defer s.listener.Close()
	c, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	s.at = o.advertised(s.listener.Addr(), localAddress)
	if err := s.createInitialObjects(ctx, c); err != nil {
		return err
	}
	if err := s.aggregate(ctx, c); err != nil {
		return err
	}
	defer s.holdLease(ctx, c)()
	if err := s.publish(ctx, c); err != nil {
		return err
	}
	if err := s.announce(); err != nil {
		return err
	}
	defer s.runInBackground(ctx, c)()
	return s.run(ctx, c)
}

// configure makes the configurations of the cluster and of the server out of the flags and the files that they
// name. done is true if another program has served in place of this one.
func (s *serving) configure(ctx context.Context) (done bool, err error) {
	a, o := s.app, s.flags
	if s.services, err = o.services(); err != nil {
		return false, err
	}
	if err := o.readToken(); err != nil {
		return false, err
	}
	tokens, err := o.keys.tokens(o.issuer)
	if err != nil {
		return false, err
	}
	s.config = cluster.Config{
		Version: inputs.MinorVersion(o.kubeVersion), NoDefaults: !o.defaults, Addresses: o.defaults, Now: a.Now, StrictNamespaces: o.strict,
		Tokens: tokens,
	}
	if s.config.ServiceRanges, err = o.serviceRanges(); err != nil {
		return false, err
	}
	if done, err := s.configureAdmission(ctx); done || err != nil {
		return done, err
	}
	s.options = server.Options{Token: o.token, Tokens: tokens, VerifyTokens: o.authorize == byRoles, Now: a.Now, User: AnonymousAdmin(), Hosts: o.hosts}
	if o.certificates != nil {
		s.options.VerifyTokens, s.options.User = true, cluster.User{} // without credentials, system:anonymous
	} else if o.tls && o.token == "" {
		s.options.Token, s.options.TokenOptional = optionalToken, true
	}
	if s.options.Token != "" {
		s.config.StaticTokens = map[string]cluster.User{s.options.Token: s.options.User}
	}
	logger := logger(a, o)
	s.options.Log = server.LogTo(logger)
	if a.Log != nil {
		a.Log(logger)
	}
	if o.clientCA != "" {
		s.authorities, s.options.ClientCAs, err = readAuthorities(o.clientCA)
	}
	return false, err
}

// configureAdmission configures rules, webhooks, admission plugins and authorization. done is true
// if another program, which has the libraries for the first two, has served in place of this one.
func (s *serving) configureAdmission(ctx context.Context) (done bool, err error) {
	a, o := s.app, s.flags
	if o.admission {
		if done, err := a.Admit(ctx, &s.config, program.AdmissionOptions{RBAC: o.authorize == byRoles, Disabled: o.disabled}); done || err != nil {
			return done, err
		}
	}
	for _, note := range o.notes {
		a.Note(note)
	}
	if a.Plugins == nil && slices.Contains(o.plugins, podSecurity) {
		return false, program.Usage("--enable-admission-plugins " + podSecurity + ": this plugin is part of the program " + program.Admission +
			", which was found neither in the directory of patchlab nor on the PATH, or is disabled by --admission=false\n" + program.HowToInstall(program.AdmissionPackage))
	}
	if err := plugins.Configure(&s.config, o.plugins, a.Plugins...); err != nil {
		return false, program.Usage("--enable-admission-plugins: " + err.Error())
	}
	if o.authorize == byRoles {
		o.roles = true
		return false, rbac.Configure(&s.config)
	}
	return false, nil
}

// initialObjects are the objects of --crd and --load.
type initialObjects struct{ CRDs, loaded []manifest.Object }

func (s *serving) readInitialObjects() (err error) {
	if s.initial.CRDs, err = inputs.ReadCRDs(s.app, s.flags.CRDs, nil); err != nil {
		return err
	}
	source := inputs.Source(s.app)
	source.Recursive = true
	loaded, skipped, err := source.Objects(s.flags.load...)
	for _, text := range inputs.SkippedNotes(skipped, "", "build it first, for example with 'kubectl kustomize'") {
		s.app.Note("--load: " + text)
	}
	s.initial.loaded = loaded
	return err
}

// listen listens on the address of the server, and reads or makes its certificate.
func (s *serving) listen(ctx context.Context) error {
	o, flag := s.flags, "--listen"
	if o.certificates != nil {
		flag = "--secure-port"
	}
	l, err := ListenOn(ctx, flag, o.listen)
	if err != nil {
		return err
	}
	switch {
	case o.token != "" && !o.tls && !loopback(l.Addr()):
		err = program.Usage("the token would be sent to " + l.Addr().String() + " unencrypted: add --tls, or listen on 127.0.0.1")
	case o.certificates != nil:
		s.certificate, err = o.certificates.serving(hostsOf(l.Addr()))
	case o.tls:
		s.certificate, err = server.SelfSigned(time.Now(), hostsOf(l.Addr())...)
	}
	if err != nil {
		_ = l.Close()
	}
	s.listener = l
	return err
}

// open opens the store, and the cluster over it.
func (s *serving) open(ctx context.Context) (*cluster.Cluster, error) {
	if err := s.flags.store.open(ctx, s.app, &s.config, &s.options); err != nil {
		return nil, err
	}
	c, err := cluster.New(s.config)
	if err != nil {
		return nil, err
	}
	c.Compute("", "componentstatuses", server.ComponentStatuses(s.options.Health))
	return c, nil
}

// createInitialObjects creates the initial objects of the server: those that every cluster has,
// CustomResourceDefinitions, and objects.
func (s *serving) createInitialObjects(ctx context.Context, c *cluster.Cluster) error {
	if err := controllers.Bootstrap(ctx, c, s.at); err != nil {
		return err
	}
	if s.flags.roles {
		if err := controllers.BootstrapRoles(ctx, c); err != nil {
			return err
		}
	}
	const manager = "patchlab/serve"
	if err := manifest.Load(ctx, c, manager, s.initial.CRDs...); err != nil {
		return err
	}
	loaded := manifest.Missing(ctx, c, s.initial.loaded)
	if n := len(s.initial.loaded) - len(loaded); n > 0 {
		s.app.Note("--load: " + terminal.Count(n, "object that the cluster already has", "objects that the cluster already has") + " skipped")
	}
	manifest.SortForCreation(loaded)
	return manifest.Load(ctx, c, manager, loaded...)
}

// aggregate prepares the server to forward requests to extension API servers.
func (s *serving) aggregate(ctx context.Context, c *cluster.Cluster) (err error) {
	if s.flags.aggregation {
		s.aggregator, err = aggregation.New(ctx, c, aggregation.Options{})
		s.options.Aggregation = s.aggregator
	}
	return err
}

// holdLease creates the Lease of this server until release is called. The server runs without it if the name of
// the machine is not the value of a label.
func (s *serving) holdLease(ctx context.Context, c *cluster.Cluster) (release func()) {
	hostname, err := os.Hostname()
	if err == nil {
		release, err = controllers.HoldLease(ctx, c, hostname, s.at)
	}
	if err != nil {
		s.app.Note("warning: the server has no Lease in kube-system: " + err.Error())
		return func() {}
	}
	return release
}

// publish writes the address of the server and the authorities of its clients into the cluster.
func (s *serving) publish(ctx context.Context, c *cluster.Cluster) error {
	if s.at.IsValid() {
		if err := controllers.PublishAddress(ctx, c, s.at); err != nil {
			return err
		}
	}
	published := controllers.Authorities{Clients: s.authorities}
	if s.aggregator != nil {
		published.Proxies, published.ProxyNames = s.aggregator.Authority(), s.aggregator.Names()
	}
	if published.Clients == nil && published.Proxies == nil {
		return nil
	}
	return controllers.PublishAuthorities(ctx, c, published)
}

// announce writes the kubeconfig, and prints how to reach the server.
func (s *serving) announce() error {
	address := AddressOf(s.listener.Addr(), s.certificate != nil)
	if s.flags.kubeconfig != "" {
		if err := mergeKubeconfig(s.flags.kubeconfig, access{address, s.flags.token, s.certificate}); err != nil {
			return err
		}
	}
	s.noteAccess()
	_, err := fmt.Fprintf(s.app.Out, "serving on %s\n", address)
	return err
}

// noteAccess prints who can and who cannot use the server, where that may surprise, and what it does
// not support.
func (s *serving) noteAccess() {
	a, o, address := s.app, s.flags, s.listener.Addr()
	plainToken := o.token != "" && !o.tls
	switch {
	case plainToken && o.authorize == byRoles:
		a.Note("warning: kubectl sends no token over plain HTTP, so that its requests are those of system:anonymous, who may do almost nothing (403); add --tls")
	case plainToken && o.kubeconfig != "":
		a.Note("warning: kubectl and other clients that read the kubeconfig file send no token over plain HTTP, so that they are refused (401); add --tls")
	}
	if !loopback(address) && o.token == "" && o.certificates == nil {
		a.Note("warning: " + address.String() + " can be reached from other machines, and every client has full access; set --token-file to require a token")
	}
	if o.authorize == byRoles && !o.tls && o.token == "" {
		a.Note("note: kubectl sends tokens only over TLS, and a request without a token may do everything; add --tls to use tokens of service accounts")
	}
	if s.aggregator != nil && s.aggregator.Any() {
		var versions []string
		for _, b := range s.aggregator.Backends() {
			v := b.Version()
			versions = append(versions, schema.APIVersion(v.Group, v.Version))
		}
		a.Note("note: requests for " + strings.Join(versions, ", ") + " are forwarded to the services of their APIServices; --aggregation=false prevents this")
	}
	switch {
	case o.certificates != nil:
		a.NoteNoAdmission("")
	case o.admission:
		a.NoteNoAdmission("; --admission=false suppresses this note")
	}
}

// runInBackground runs what changes objects beside the clients, until stop is called.
func (s *serving) runInBackground(ctx context.Context, c *cluster.Cluster) (stop func()) {
	if every := s.flags.store.compaction; every > 0 {
		go c.CompactEvery(ctx, every)
	}
	maintained := inBackground(ctx, func(ctx context.Context) { controllers.Maintain(ctx, c, s.at) })
	if s.aggregator != nil {
		maintain, aggregated := maintained, inBackground(ctx, s.aggregator.Run)
		maintained = func() { aggregated(); maintain() }
	}
	if !s.services.Any() {
		return maintained
	}
	if s.aggregator != nil {
		s.services.Extensions = s.aggregator
	}
	s.services.Fault = func(err error) { s.app.Note("controllers: " + err.Error()) }
	controlled := inBackground(ctx, func(ctx context.Context) {
		if err := controllers.Run(ctx, c, s.services); err != nil {
			s.services.Fault(err)
		}
	})
	return func() { controlled(); maintained() }
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

// run answers requests until the context ends.
func (s *serving) run(ctx context.Context, c *cluster.Cluster) error {
	if name, err := os.Hostname(); err == nil && !loopback(s.listener.Addr()) {
		s.options.Hosts = append(s.options.Hosts, name)
	}
	var pair *tls.Certificate
	if s.certificate != nil {
		pair = &s.certificate.TLS
	}
	var served server.Cluster = c
	if s.flags.authorize == byRoles {
		authorized := rbac.Cluster{Cluster: c}
		served, s.options.Authorizer = authorized, authorized
	}
	return server.New(served, s.options).Serve(ctx, s.listener, pair)
}
