package defaults

import (
	"slices"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/podresources"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
)

// A function computes the value of a rule from the value at the rule's source path. An
// absent result sets nothing.
type function func(f *filler, arg document.Value) document.Value

// functions returns the function with a name used in the rule files; nil if there is none.
func functions(name string) function {
	switch name {
	case "now":
		return now
	case "pullPolicy":
		return pullPolicy
	case "lowerCase":
		return func(_ *filler, arg document.Value) document.Value {
			return document.NewString(strings.ToLower(arg.StringOr("")))
		}
	case "listKind":
		return func(_ *filler, arg document.Value) document.Value {
			return document.NewString(arg.StringOr("") + "List")
		}
	case "storageVersion":
		return storageVersion
	case "podLimits":
		return podLimits
	case "podRequests":
		return podRequests
	case "withoutImageMounts":
		return withoutImageMounts
	}
	return nil
}

// now returns the time of the request in whole seconds.
func now(f *filler, _ document.Value) document.Value {
	if f.options.Now.IsZero() {
		return document.Value{}
	}
	return document.NewString(f.options.Now.UTC().Truncate(time.Second).Format(time.RFC3339))
}

// pullPolicy returns the imagePullPolicy for an image reference (SetDefaults_Container).
func pullPolicy(_ *filler, reference document.Value) document.Value {
	if isLatest(reference.StringOr("")) {
		return document.NewString("Always")
	}
	return document.NewString("IfNotPresent")
}

// storageVersion returns the name of the storage version.
func storageVersion(_ *filler, versions document.Value) document.Value {
	for _, v := range versions.Items() {
		if stored, _ := v.Get("storage").Bool(); stored {
			return document.NewList(v.Get("name"))
		}
	}
	return document.Value{}
}

// podLimits returns the pod-level hugepage limits, the sum of the containers' limits, for
// resources without a pod-level limit or request (KEP-2837).
func podLimits(_ *filler, spec document.Value) document.Value {
	resources := spec.Get("resources")
	if resources.Get("limits").Len() == 0 && resources.Get("requests").Len() == 0 {
		return document.Value{}
	}
	var b document.ObjectBuilder
	for name, q := range podresources.OfContainers(spec, "limits") {
		if podresources.IsHugePages(name) && !resources.Get("requests").Get(name).Exists() {
			b.SetString(name, q.String())
		}
	}
	return b.Object()
}

// podRequests returns the requests of a pod with pod-level limits: the containers' requests
// if they have any, else the limit (KEP-2837).
func podRequests(_ *filler, spec document.Value) document.Value {
	limits := spec.Lookup("resources", "limits")
	if limits.Len() == 0 {
		return document.Value{}
	}
	var b document.ObjectBuilder
	for name, limit := range limits.Members() {
		if podresources.IsPodLevel(name) {
			b.Set(name, limit)
		}
	}
	for name, q := range podresources.OfContainers(spec, "requests") { // take precedence over the limit
		if name == "cpu" || name == "memory" {
			b.SetString(name, q.String())
		}
	}
	return b.Object()
}

// withoutImageMounts returns the containers of a pod's spec that the rule is about without their
// mounts of image volumes (pkg/api/pod, dropImageVolumes).
func withoutImageMounts(f *filler, spec document.Value) document.Value {
	images := map[string]bool{}
	for _, v := range spec.Get("volumes").Items() {
		if v.Get("image").Exists() {
			images[v.Get("name").StringOr("")] = true
		}
	}
	containers := f.path[len(f.path)-1].In(spec)
	if len(images) == 0 {
		return containers
	}
	return remake.Items(containers, func(_ int, c document.Value) document.Value {
		mounts := remake.Items(c.Get("volumeMounts"), func(_ int, m document.Value) document.Value {
			if images[m.Get("name").StringOr("")] {
				return document.Value{}
			}
			return m
		})
		if mounts.Len() == 0 {
			mounts = document.Value{}
		}
		return c.With("volumeMounts", mounts)
	})
}

// isLatest reports whether an image reference has the tag latest, or neither a tag nor a
// digest. It is false for an invalid reference (github.com/distribution/reference,
// ParseNormalizedNamed).
func isLatest(ref string) bool {
	if len(ref) == 64 && strings.Trim(ref, "0123456789abcdef") == "" {
		return false // an image ID
	}
	domain, rest := "docker.io", ref
	if head, tail, ok := strings.Cut(ref, "/"); ok &&
		(strings.ContainsAny(head, ".:") || head == "localhost" || strings.ToLower(head) != head) {
		domain, rest = head, tail
	}
	rest, digest, digested := strings.Cut(rest, "@")
	name, tag, tagged := strings.Cut(rest, ":")
	if !tagged && digested {
		return false
	}
	if tagged && tag != "latest" || digested && !validDigest(digest) {
		return false
	}
	if domain == "docker.io" && !strings.Contains(name, "/") {
		name = "library/" + name
	}
	if !validDomain(domain) { // then it is the first component of the path
		name = domain + "/" + name
	}
	return len(name) <= 255 && !slices.ContainsFunc(strings.Split(name, "/"), func(s string) bool { return !validPart(s) })
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

func isAlnum(c byte) bool { return isLower(c) || c >= 'A' && c <= 'Z' }

// validPart reports whether s is a component of an image path: lower-case words separated
// by ".", "_", "__" or any number of "-".
func validPart(s string) bool {
	for i := 0; i < len(s); {
		if !isLower(s[i]) {
			return false
		}
		for i < len(s) && isLower(s[i]) {
			i++
		}
		if i == len(s) {
			return true
		}
		switch rest := s[i:]; {
		case strings.HasPrefix(rest, "__"):
			i += 2
		case rest[0] == '.' || rest[0] == '_':
			i++
		default:
			n := len(rest) - len(strings.TrimLeft(rest, "-"))
			if n == 0 {
				return false
			}
			i += n
		}
	}
	return false
}

func validDomain(s string) bool {
	if address, rest, ok := strings.Cut(s, "]"); ok && s[0] == '[' {
		return len(address) > 1 && strings.Trim(address[1:], "0123456789abcdefABCDEF:") == "" && (rest == "" || validPort(rest))
	}
	host, port, ok := strings.Cut(s, ":")
	if ok && !validPort(":"+port) {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		for i := range len(label) {
			if !isAlnum(label[i]) && (label[i] != '-' || i == 0 || i == len(label)-1) {
				return false
			}
		}
		if label == "" {
			return false
		}
	}
	return true
}

func validPort(s string) bool {
	return len(s) > 1 && s[0] == ':' && strings.Trim(s[1:], "0123456789") == ""
}

func validDigest(s string) bool {
	algorithm, hex, _ := strings.Cut(s, ":")
	size := map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}[algorithm]
	return size != 0 && len(hex) == size && strings.Trim(hex, "0123456789abcdef") == ""
}
