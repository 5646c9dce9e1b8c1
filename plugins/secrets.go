package plugins

import (
	"fmt"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
)

// enforceSecrets is the annotation of a service account whose pods may use only the secrets that it lists.
const enforceSecrets = "kubernetes.io/enforce-mountable-secrets"

// secretsOf returns the names of the secrets to which a pod refers. They may be empty.
func secretsOf(spec document.Value) (names []string) {
	for _, s := range spec.Get("imagePullSecrets").Items() {
		names = append(names, s.Get("name").StringOr(""))
	}
	for _, field := range [...]string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range spec.Get(field).Items() {
			for _, used := range containerSecrets(container) {
				names = append(names, used.name)
			}
		}
	}
	for _, v := range spec.Get("volumes").Items() {
		for _, field := range volumeSecrets {
			names = append(names, v.Lookup(field...).StringOr(""))
		}
		for _, source := range v.Lookup("projected", "sources").Items() {
			names = append(names, source.Lookup("secret", "name").StringOr(""))
		}
	}
	return names
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

// refusePod returns the reason why a pod is refused: the first secret that it uses and its service
// account does not list. It is "" if there is none.
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

// refuseEnvironments returns the reason why containers are refused whose environments use a secret that
// the service account does not list; "" if there is none. kind is the name of such containers in the
// message, such as "init container".
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
