package cluster

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// What fields of built-in kinds must hold: keys, numbers, and what may not be
// missing.

// checkValues judges the values of a built-in object.
func checkValues(k *schema.Kind, object document.Value) []Cause {
	c := &check{object: object}
	name := k.Group + "/" + k.Kind
	c.kind(name)
	switch name {
	case "/ConfigMap":
		c.dataKeys("data", "binaryData")
	case "/Secret":
		c.dataKeys("data")
		c.secretType()
	case "/Service":
		c.servicePorts()
	case "/PersistentVolumeClaim":
		if !c.at("spec.resources.requests.storage").Exists() {
			c.add(required("spec.resources[storage]", ""))
		}
	case "autoscaling/HorizontalPodAutoscaler":
		c.autoscaler()
	}
	return c.causes
}

// dataKeys judges the keys of a ConfigMap or Secret, of which each may stand in
// one map alone.
func (c *check) dataKeys(maps ...string) {
	const most = 253
	seen := map[string]bool{}
	for _, name := range maps {
		for key := range c.object.Get(name).Members() {
			switch {
			case seen[key]:
				c.add(invalidValue(name+"["+key+"]", strconv.Quote(key), "the key is there twice, in data and binaryData"))
			case key == "" || len(key) > most || key == "." || strings.HasPrefix(key, "..") || !isDataKey(key):
				c.add(invalidValue(name+"["+key+"]", strconv.Quote(key),
					"a key must consist of letters, digits, '-', '_' and '.', not begin with '..' nor be '.', and have no more than 253 characters"))
			}
			seen[key] = true
		}
	}
}

func isDataKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; !names.IsAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// secretType wants the keys that a type of Secret stands for.
func (c *check) secretType() {
	data := c.object.Get("data")
	key := func(name string) {
		if !data.Get(name).Exists() {
			c.add(required("data["+name+"]", ""))
		}
	}
	switch c.object.Get("type").StringOr("") {
	case "kubernetes.io/tls":
		key("tls.crt")
		key("tls.key")
	case "kubernetes.io/basic-auth":
		if !data.Get("username").Exists() && !data.Get("password").Exists() {
			c.add(required("data[username]", ""))
		}
	case "kubernetes.io/ssh-auth":
		key("ssh-privatekey")
	case "kubernetes.io/dockerconfigjson":
		c.jsonKey(".dockerconfigjson")
	case "kubernetes.io/dockercfg":
		c.jsonKey(".dockercfg")
	case "kubernetes.io/service-account-token":
		const account = "kubernetes.io/service-account.name"
		if c.object.Lookup("metadata", "annotations", account).StringOr("") == "" {
			c.add(required("metadata.annotations["+account+"]", ""))
		}
	}
}

// jsonKey wants a key whose content is a JSON object.
func (c *check) jsonKey(name string) {
	v := c.object.Get("data").Get(name)
	if !v.Exists() {
		c.add(required("data["+name+"]", ""))
		return
	}
	text, err := base64.StdEncoding.DecodeString(v.StringOr(""))
	if err == nil {
		var doc *document.Document
		if doc, err = document.Parse(text, document.Options{Duplicates: document.DuplicatesLast}); err == nil && doc.Root.Kind() == document.Object {
			return
		}
	}
	c.add(invalidValue("data["+name+"]", "<secret contents redacted>", "must hold a JSON object"))
}

// servicePorts wants ports where there is an address to have them, each with a
// name where there are several.
func (c *check) servicePorts() {
	kind := c.at("spec.type").StringOr("")
	switch {
	case kind == "ExternalName":
		c.judge(nil, c.object, "spec.externalName needed")
	case kind != "" && kind != "ClusterIP" && c.at("spec.clusterIP").StringOr("") == "None":
		c.add(invalidValue("spec.clusterIPs[0]", `"None"`, "may not be set to 'None' for "+kind+" services"))
	}
	ports := c.at("spec.ports")
	if ports.Len() == 0 && kind != "ExternalName" && c.at("spec.clusterIP").StringOr("") != "None" {
		c.add(required("spec.ports", ""))
	}
	if ports.Kind() != document.List {
		return
	}
	seen := map[string]bool{}
	for i, port := range ports.Items() {
		at := "spec.ports[" + strconv.Itoa(i) + "]."
		name := port.Get("name").StringOr("")
		switch {
		case name == "" && ports.Len() > 1:
			c.add(required(at+"name", "each of several ports needs a name"))
		case name != "" && seen[name]:
			c.add(Cause{Type: causeDuplicate, Field: at + "name", Message: "Duplicate value: " + strconv.Quote(name)})
		}
		seen[name] = true
	}
}

// autoscaler wants bounds in order.
func (c *check) autoscaler() {
	most, _ := c.at("spec.maxReplicas").Int()
	least, _ := c.at("spec.minReplicas").Int()
	switch {
	case most < 1:
		c.add(invalidValue("spec.maxReplicas", strconv.FormatInt(most, 10), "must be greater than 0"))
	case most < least:
		c.add(invalidValue("spec.maxReplicas", strconv.FormatInt(most, 10), "must be greater than or equal to `minReplicas`"))
	}
}
