package aggregation

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Group is the API group of APIServices.
const Group = "apiregistration.k8s.io"

// registrations is the resource of APIServices.
const registrations = "apiservices"

// registration has the fields of an APIService.
type registration struct {
	name, group, version           string
	groupPriority, versionPriority int64
	// service is nil if the API server itself serves the version.
	service   *serviceReference
	bundle    []byte // certificates in PEM
	insecure  bool
	available bool
}

// serviceReference names a port of a Service.
type serviceReference struct {
	namespace, name string
	port            int32
}

// defaultPort is the port of a service reference without one.
const defaultPort = 443

func registrationOf(object document.Value) registration {
	spec := object.Get("spec")
	r := registration{
		name: nameOf(object), group: spec.Get("group").StringOr(""), version: spec.Get("version").StringOr(""),
		available: availability(object).Get("status").StringOr("") == statusTrue,
	}
	r.groupPriority, _ = spec.Get("groupPriorityMinimum").Int()
	r.versionPriority, _ = spec.Get("versionPriority").Int()
	service := spec.Get("service")
	if service.Kind() != document.Object {
		return r
	}
	r.service = &serviceReference{namespace: service.Get("namespace").StringOr(""), name: service.Get("name").StringOr(""), port: defaultPort}
	if port, ok := service.Get("port").Int(); ok {
		r.service.port = int32(port)
	}
	r.insecure, _ = spec.Get("insecureSkipTLSVerify").Bool()
	r.bundle, _ = base64.StdEncoding.DecodeString(spec.Get("caBundle").StringOr(""))
	return r
}

// connectsAs reports whether two registrations connect to a service in the same way.
func (r registration) connectsAs(o registration) bool {
	return r.service != nil && o.service != nil && *r.service == *o.service && r.insecure == o.insecure && bytes.Equal(r.bundle, o.bundle)
}

// serverName is the name that the certificate of the service must have.
func (s serviceReference) serverName() string { return s.name + "." + s.namespace + ".svc" }

func nameOf(object document.Value) string {
	return object.Lookup("metadata", "name").StringOr("")
}

func namespaceOf(object document.Value) string {
	return object.Lookup("metadata", "namespace").StringOr("")
}

// A Version is a version of an API group that has an APIService.
type Version struct {
	Group, Version string
	// GroupPriority and VersionPriority are those of the APIService. Greater values come first.
	GroupPriority, VersionPriority int64
}

func (r registration) public() Version {
	return Version{r.group, r.version, r.groupPriority, r.versionPriority}
}

// sorted returns versions in the order of discovery: the groups by their greatest priority, each with its versions by
// theirs (k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper, SortedByGroupAndVersion).
func sorted(all []registration) []Version {
	slices.SortFunc(all, func(a, b registration) int {
		return cmp.Or(cmp.Compare(b.groupPriority, a.groupPriority), cmp.Compare(a.name, b.name))
	})
	place := map[string]int{}
	for _, r := range all {
		if _, ok := place[r.group]; !ok {
			place[r.group] = len(place)
		}
	}
	slices.SortStableFunc(all, func(a, b registration) int {
		return cmp.Or(cmp.Compare(place[a.group], place[b.group]), cmp.Compare(b.versionPriority, a.versionPriority), schema.CompareVersions(a.version, b.version))
	})
	versions := make([]Version, len(all))
	for i, r := range all {
		versions[i] = r.public()
	}
	return versions
}
