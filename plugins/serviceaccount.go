package plugins

import (
	"fmt"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// ServiceAccount is the plugin that gives pods a service account and its token. It refuses pods whose
// account does not exist. A controller creates the account "default" of each namespace
// ([controllers.Options], ServiceAccounts).
//
// [controllers.Options]: https://pkg.go.dev/github.com/patchlab-dev/patchlab/controllers#Options
const ServiceAccount = "ServiceAccount"

const (
	// tokenVolume is the prefix of the name of the volume with the token.
	tokenVolume = "kube-api-access-"
	// tokenPath is where containers mount it.
	tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount"
	// tokenSeconds is the lifetime of the token that is requested for the volume
	// (k8s.io/kubernetes/pkg/serviceaccount, WarnOnlyBoundTokenExpirationSeconds).
	tokenSeconds = 60*60 + 7
)

// Time for the controller to create the account "default" in a new namespace. kube-apiserver waits
// 0.9 to 1.8 seconds.
const (
	accountWait = 2 * time.Second
	accountPoll = 5 * time.Millisecond
)

// useServiceAccount sets the service account of a new pod, the volume with its token, and its secrets
// for pulling images. It refuses what checkServiceAccount refuses, before the pod is validated.
func useServiceAccount(c *call) *cluster.Status {
	if !c.creates("", "pods") {
		return nil
	}
	if isMirror(c.Object) {
		return c.checkMirror()
	}
	if accountOf(c.Object) == "" {
		c.set(document.NewString(names.DefaultServiceAccount), "spec", "serviceAccountName")
		c.set(document.NewString(names.DefaultServiceAccount), "spec", "serviceAccount")
	}
	account, st := c.serviceAccount()
	if st != nil {
		return st
	}
	if mountsToken(c.Object, account) {
		c.mountToken()
	}
	if pull := account.Get("imagePullSecrets"); pull.Len() > 0 && c.Object.Lookup("spec", "imagePullSecrets").Len() == 0 {
		c.set(pull, "spec", "imagePullSecrets")
	}
	return c.checkSecrets(account)
}

// isMirror reports whether a pod represents one that a kubelet runs from a file.
func isMirror(pod document.Value) bool { return annotation(pod, names.MirrorPod).Exists() }

// accountOf returns the name of a pod's service account, "" if it has none.
func accountOf(pod document.Value) string {
	return pod.Lookup("spec", "serviceAccountName").StringOr("")
}

// serviceAccount returns the service account of the pod, which must exist.
func (c *call) serviceAccount() (document.Value, *cluster.Status) {
	name := accountOf(c.Object)
	if name == "" {
		return document.Value{}, c.Forbid("no service account specified for pod " + c.Namespace + "/" + c.Name)
	}
	account, st := c.get("", "serviceaccounts", c.Namespace, name)
	if name == names.DefaultServiceAccount {
		for wait := accountWait; st == nil && !account.Exists() && wait > 0 && c.ctx.Err() == nil; wait -= accountPoll {
			time.Sleep(accountPoll)
			account, st = c.get("", "serviceaccounts", c.Namespace, name)
		}
	}
	if st == nil && !account.Exists() {
		st = c.Forbid(fmt.Sprintf("error looking up service account %s/%s: serviceaccount %q not found", c.Namespace, name, name))
	}
	return account, st
}

// mountsToken reports whether the containers of a pod get the token of its service account.
func mountsToken(pod, account document.Value) bool {
	if automount, ok := pod.Lookup("spec", "automountServiceAccountToken").Bool(); ok {
		return automount
	}
	automount, ok := account.Get("automountServiceAccountToken").Bool()
	return automount || !ok
}

// mountToken mounts the volume with the token in all containers that mount nothing at its path. It adds
// the volume, unless the pod has it already.
func (c *call) mountToken() {
	volume := ""
	for _, v := range c.Object.Lookup("spec", "volumes").Items() {
		if name := v.Get("name").StringOr(""); strings.HasPrefix(name, tokenVolume) {
			volume = name
			break
		}
	}
	isNew := volume == ""
	if isNew {
		volume = c.GenerateName(tokenVolume)
	}
	mount := document.NewObject().
		With("mountPath", document.NewString(tokenPath)).
		With("name", document.NewString(volume)).
		With("readOnly", document.NewBool(true))
	mounted := false
	for _, field := range [...]string{"initContainers", "containers"} {
		var containers []document.Value
		changed := false
		for _, container := range c.Object.Lookup("spec", field).Items() {
			if mounts := container.Get("volumeMounts"); !mountsAt(mounts, tokenPath) {
				container = container.With("volumeMounts", appended(mounts, mount))
				changed = true
			}
			containers = append(containers, container)
		}
		if changed {
			c.set(document.NewList(containers...), "spec", field)
			mounted = true
		}
	}
	if isNew && mounted {
		c.set(appended(c.Object.Lookup("spec", "volumes"), tokenVolumeNamed(volume)), "spec", "volumes")
	}
}

func mountsAt(mounts document.Value, path string) bool {
	for _, m := range mounts.Items() {
		if m.Get("mountPath").StringOr("") == path {
			return true
		}
	}
	return false
}

// tokenVolumeNamed returns the volume with a token, the certificate of the cluster's authority and the
// name of the namespace.
func tokenVolumeNamed(name string) document.Value {
	token := document.NewObject().
		With("expirationSeconds", document.NewInt(tokenSeconds)).
		With("path", document.NewString("token"))
	certificate := document.NewObject().
		With("items", document.NewList(document.NewObject().
			With("key", document.NewString("ca.crt")).
			With("path", document.NewString("ca.crt")))).
		With("name", document.NewString("kube-root-ca.crt"))
	namespace := document.NewObject().
		With("items", document.NewList(document.NewObject().
			With("fieldRef", document.NewObject().
				With("apiVersion", document.NewString("v1")).
				With("fieldPath", document.NewString("metadata.namespace"))).
			With("path", document.NewString("namespace"))))
	return document.NewObject().
		With("name", document.NewString(name)).
		With("projected", document.NewObject().
			With("defaultMode", document.NewInt(0o644)).
			With("sources", document.NewList(
				document.NewObject().With("serviceAccountToken", token),
				document.NewObject().With("configMap", certificate),
				document.NewObject().With("downwardAPI", namespace))))
}

// checkServiceAccount refuses a new pod whose service account does not exist, or does not allow the
// secrets that it uses. It checks new ephemeral containers in the same way.
func checkServiceAccount(c *call) *cluster.Status {
	ephemeral := c.does(cluster.OperationUpdate, "", "pods", "ephemeralcontainers")
	if !ephemeral && !c.creates("", "pods") {
		return nil
	}
	if !ephemeral && isMirror(c.Object) {
		return c.checkMirror()
	}
	account, st := c.serviceAccount()
	if st != nil {
		return st
	}
	if ephemeral {
		return c.checkEphemeralSecrets(account)
	}
	return c.checkSecrets(account)
}

// checkSecrets refuses a new pod that uses secrets which its service account does not list.
func (c *call) checkSecrets(account document.Value) *cluster.Status {
	allowed, enforced := secretsAllowedBy(account)
	if !enforced {
		return nil
	}
	if refused := allowed.refusePod(c.Object.Get("spec")); refused != "" {
		return c.Forbid(refused)
	}
	return nil
}

// checkEphemeralSecrets refuses ephemeral containers that use a secret which the pod's service account
// does not list. kube-apiserver responds with 500.
func (c *call) checkEphemeralSecrets(account document.Value) *cluster.Status {
	allowed, enforced := secretsAllowedBy(account)
	if !enforced {
		return nil
	}
	if refused := allowed.refuseEnvironments("ephemeral container", c.Object.Lookup("spec", "ephemeralContainers")); refused != "" {
		return &cluster.Status{Code: 500, Message: refused}
	}
	return nil
}

// checkMirror refuses a mirror pod that uses what only the API server has.
func (c *call) checkMirror() *cluster.Status {
	if accountOf(c.Object) != "" {
		return c.Forbid("a mirror pod may not reference service accounts")
	}
	for _, name := range secretsOf(c.Object.Get("spec")) {
		if name != "" {
			return c.Forbid("a mirror pod may not reference secrets")
		}
	}
	for _, v := range c.Object.Lookup("spec", "volumes").Items() {
		for _, source := range v.Lookup("projected", "sources").Items() {
			if source.Get("serviceAccountToken").Exists() {
				return c.Forbid("a mirror pod may not use ServiceAccountToken volume projections")
			}
		}
	}
	return nil
}
