package plugins

import (
	"fmt"
	"iter"
	"strconv"
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
	// enforceSecrets is the annotation of a service account whose pods may use only the secrets that
	// it lists.
	enforceSecrets = "kubernetes.io/enforce-mountable-secrets"
	// tokenVolume is the prefix of the name of the volume with the token.
	tokenVolume = "kube-api-access-"
	tokenPath   = "/var/run/secrets/kubernetes.io/serviceaccount"
	// tokenSeconds is the lifetime of the token that is requested for the volume
	// (k8s.io/kubernetes/pkg/serviceaccount, WarnOnlyBoundTokenExpirationSeconds).
	tokenSeconds = 60*60 + 7
	// defaultAccount is the account of a pod that names none.
	defaultAccount = "default"
)

// Time for the controller to create the account "default" in a new namespace. kube-apiserver waits
// 0.9 to 1.8 seconds.
const (
	accountWait = time.Second
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
		c.set(document.NewString(defaultAccount), "spec", "serviceAccountName")
		c.set(document.NewString(defaultAccount), "spec", "serviceAccount")
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
	if name == defaultAccount {
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

// checkEphemeralSecrets does so for the ephemeral containers of a pod. kube-apiserver responds with 500.
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
	for name := range secretsOf(c.Object.Get("spec")) {
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

// secretsOf yields the names of the secrets to which a pod refers. They may be empty.
func secretsOf(spec document.Value) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range spec.Get("imagePullSecrets").Items() {
			if !yield(s.Get("name").StringOr("")) {
				return
			}
		}
		for _, field := range [...]string{"initContainers", "containers", "ephemeralContainers"} {
			for _, container := range spec.Get(field).Items() {
				for _, used := range containerSecrets(container) {
					if !yield(used.name) {
						return
					}
				}
			}
		}
		for _, v := range spec.Get("volumes").Items() {
			for _, field := range volumeSecrets {
				if !yield(v.Lookup(field...).StringOr("")) {
					return
				}
			}
			for _, source := range v.Lookup("projected", "sources").Items() {
				if !yield(source.Lookup("secret", "name").StringOr("")) {
					return
				}
			}
		}
	}
}

// volumeSecrets are the fields of a volume that name a secret.
var volumeSecrets = [...][]string{
	{"secret", "secretName"}, {"azureFile", "secretName"}, {"cephfs", "secretRef", "name"}, {"cinder", "secretRef", "name"},
	{"flexVolume", "secretRef", "name"}, {"rbd", "secretRef", "name"}, {"scaleIO", "secretRef", "name"}, {"iscsi", "secretRef", "name"},
	{"storageos", "secretRef", "name"}, {"csi", "nodePublishSecretRef", "name"},
}

// usedSecret is a secret whose values a container has in its environment.
type usedSecret struct {
	name  string
	where string // "envVar NAME" or "envFrom"
}

// containerSecrets returns the secrets that the environment of a container uses.
func containerSecrets(container document.Value) []usedSecret {
	var used []usedSecret
	for _, variable := range container.Get("env").Items() {
		if ref := variable.Lookup("valueFrom", "secretKeyRef"); ref.Exists() {
			used = append(used, usedSecret{ref.Get("name").StringOr(""), "envVar " + variable.Get("name").StringOr("")})
		}
	}
	for _, source := range container.Get("envFrom").Items() {
		if ref := source.Get("secretRef"); ref.Exists() {
			used = append(used, usedSecret{ref.Get("name").StringOr(""), "envFrom"})
		}
	}
	return used
}

// secretsOfAccount are the secrets that the pods of a service account may use.
type secretsOfAccount struct {
	account       string
	secrets, pull map[string]bool
}

// secretsAllowedBy returns the secrets that the pods of a service account may use. They may use all unless
// its annotation enforces that.
func secretsAllowedBy(account document.Value) (allowed secretsOfAccount, enforced bool) {
	enforced, _ = strconv.ParseBool(annotation(account, enforceSecrets).StringOr(""))
	if !enforced {
		return secretsOfAccount{}, false
	}
	return secretsOfAccount{
		account.Lookup("metadata", "name").StringOr(""), namesIn(account.Get("secrets")), namesIn(account.Get("imagePullSecrets")),
	}, true
}

// refusePod says why a pod may not use the first secret that its service account does not list; "" if it
// may use all of them.
func (s secretsOfAccount) refusePod(spec document.Value) string {
	for _, v := range spec.Get("volumes").Items() {
		if secret := v.Get("secret"); secret.Exists() {
			if name := secret.Get("secretName").StringOr(""); !s.secrets[name] {
				return s.refusal(fmt.Sprintf("volume with secret.secretName=%q", name), "secret")
			}
		}
	}
	if refused := s.refuseEnvironments("init container", spec.Get("initContainers")); refused != "" {
		return refused
	}
	if refused := s.refuseEnvironments("container", spec.Get("containers")); refused != "" {
		return refused
	}
	for i, ref := range spec.Get("imagePullSecrets").Items() {
		if name := ref.Get("name").StringOr(""); !s.pull[name] {
			return s.refusal(fmt.Sprintf("imagePullSecrets[%d].name=%q", i, name), "imagePullSecret")
		}
	}
	return ""
}

// refuseEnvironments does so for the environments of containers; kind says what these are.
func (s secretsOfAccount) refuseEnvironments(kind string, containers document.Value) string {
	for _, container := range containers.Items() {
		for _, used := range containerSecrets(container) {
			if !s.secrets[used.name] {
				return s.refusal(fmt.Sprintf("%s %s with %s referencing secret.secretName=%q", kind, container.Get("name").StringOr(""), used.where, used.name), "secret")
			}
		}
	}
	return ""
}

func (s secretsOfAccount) refusal(use, what string) string {
	return use + " is not allowed because service account " + s.account + " does not reference that " + what
}

// namesIn returns the names in a list of references.
func namesIn(refs document.Value) map[string]bool {
	out := map[string]bool{}
	for _, ref := range refs.Items() {
		out[ref.Get("name").StringOr("")] = true
	}
	return out
}
