package kinds

import (
	"strconv"
	"strings"
)

// removedVolumes are the types of volumes without a driver.
var removedVolumes = [...][2]string{
	{"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
	{"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
	{"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
	{"flocker", "deprecated in v1.22, non-functional in v1.25+"},
	{"storageos", "deprecated in v1.22, non-functional in v1.25+"},
	{"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
	{"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
	{"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
	{"rbd", "deprecated in v1.28, non-functional in v1.31+"},
}

// volumes warns about the volumes of a pod.
func (a *advice) volumes(list field) {
	for i := range list.items() {
		volume := list.item(i)
		for _, removed := range removedVolumes {
			a.removedVolume(volume, removed[0], removed[1])
		}
		a.claim(volume.get("ephemeral.volumeClaimTemplate.spec"))
	}
	for i := range list.items() {
		if a.check.kind.Since("1.32") {
			a.overlaps(list.item(i))
		}
	}
}

func (a *advice) removedVolume(volume field, name, why string) {
	if !volume.Value.Get(name).Exists() {
		return
	}
	if !a.check.kind.Since("1.33") {
		why, _, _ = strings.Cut(why, ", and") // of gitRepo
	}
	shown := name
	if name == "storageos" {
		shown = "storageOS" // the name in the internal type
	}
	if source := volume.getAs(name, shown); source.isSet() {
		a.warn(source, why)
	}
}

// claim warns about the amounts of storage in the spec of a PersistentVolumeClaim.
func (a *advice) claim(spec field) {
	if !spec.isSet() {
		return
	}
	a.wholeBytes(spec.get("resources.requests").key("storage"))
	a.wholeBytes(spec.get("resources.limits").key("storage"))
}

// A filePath is a path of a file in a volume, with a description of its source.
type filePath struct{ path, source string }

func (p filePath) String() string {
	if p.source == "" {
		return strconv.Quote(p.path)
	}
	return strconv.Quote(p.path) + " (" + p.source + ")"
}

// overlaps warns about files of a volume that have the same path, and about a file whose path is
// that of the folder of another one.
func (a *advice) overlaps(volume field) {
	name := strconv.Quote(volume.get("name").text())
	one := func(source field, what string) {
		var above []filePath
		for _, p := range itemPaths(source, "") {
			above = a.overlap(above, p, "volume "+name+" ("+what+"): overlapping paths: ")
		}
	}
	if source := volume.get("configMap"); source.isSet() {
		one(source, "ConfigMap "+strconv.Quote(source.get("name").text()))
	}
	if source := volume.get("secret"); source.isSet() {
		one(source, "Secret "+strconv.Quote(source.get("secretName").text()))
	}
	if source := volume.get("downwardAPI"); source.isSet() {
		one(source, "DownwardAPI")
	}
	sources := volume.get("projected.sources")
	var above []filePath
	for i := range sources.items() {
		source := sources.item(i)
		if source.members() == 0 {
			a.say("volume " + name + " (Projected) has no sources provided")
			continue
		}
		for _, p := range pathsOf(source) {
			above = a.overlap(above, p, "volume "+name+" (Projected): overlapping paths: ")
		}
	}
}

// overlap warns about a path that overlaps one of those above, and appends it to them.
func (a *advice) overlap(above []filePath, p filePath, prefix string) []filePath {
	p.path = strings.TrimRight(p.path, "/")
	for _, other := range above {
		if a.full() {
			break
		}
		if p.path == "" || other.path == "" {
			continue
		}
		if strings.HasPrefix(other.path+"/", p.path+"/") || strings.HasPrefix(p.path+"/", other.path+"/") {
			a.say(prefix + p.String() + " with " + other.String())
		}
	}
	return append(above, p)
}

// itemPaths returns the paths of the items of a volume source.
func itemPaths(source field, what string) []filePath {
	var out []filePath
	items := source.get("items")
	for i := range items.items() {
		out = append(out, filePath{items.item(i).get("path").text(), what})
	}
	return out
}

// pathsOf returns the paths of a source of a projected volume.
func pathsOf(source field) []filePath {
	if s := source.get("configMap"); s.get("items").isSet() {
		return itemPaths(s, "ConfigMap "+strconv.Quote(s.get("name").text()))
	}
	if s := source.get("secret"); s.get("items").isSet() {
		return itemPaths(s, "Secret "+strconv.Quote(s.get("name").text()))
	}
	if s := source.get("downwardAPI"); s.get("items").isSet() {
		return itemPaths(s, "DownwardAPI")
	}
	if s := source.get("serviceAccountToken"); s.isSet() {
		return []filePath{{s.get("path").text(), "ServiceAccountToken"}}
	}
	if s := source.get("clusterTrustBundle"); s.isSet() {
		name := s.get("name")
		if !name.isSet() {
			name = s.get("signerName")
		}
		return []filePath{{s.get("path").text(), "ClusterTrustBundle " + strconv.Quote(name.text())}}
	}
	var out []filePath
	s := source.get("podCertificate")
	for _, part := range [...][2]string{{"certificateChainPath", "chain"}, {"keyPath", "key"}, {"credentialBundlePath", "credential bundle"}} {
		if path := s.get(part[0]).text(); path != "" {
			out = append(out, filePath{path, "PodCertificate " + part[1]})
		}
	}
	return out
}
