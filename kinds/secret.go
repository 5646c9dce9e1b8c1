package kinds

import (
	"encoding/base64"

	"github.com/patchlab-dev/patchlab/document"
)

// secretStrategy is the strategy of v1 Secret.
var secretStrategy = Strategy{
	Group:    "",
	Resource: "secrets",
	Name:     subdomainName,
	Selectable: []SelectableField{
		{Label: "type"},
	},
}

func validateSecret(c *check, object, old field) {
	data := object.get("data")
	size := 0
	for i := range data.members() {
		entry, key := data.memberAt(i)
		c.dataKey(entry, key)
		size += decodedLen(entry.text())
	}
	if size > maxData {
		c.tooLong(data, maxData)
	}
	c.secretType(object, data)
	if old.isSet() {
		c.immutable(object.get("type"), old.get("type"))
		c.sealed(object, old, "data")
	}
}

// secretType requires the keys of data that the type of a Secret defines.
func (c *check) secretType(object, data field) {
	switch object.get("type").text() {
	case "kubernetes.io/service-account-token":
		c.need(object.get("metadata.annotations").key("kubernetes.io/service-account.name"))
	case "kubernetes.io/dockercfg":
		c.jsonEntry(data.key(".dockercfg"))
	case "kubernetes.io/dockerconfigjson":
		c.jsonEntry(data.key(".dockerconfigjson"))
	case "kubernetes.io/basic-auth":
		if name, password := data.key("username"), data.key("password"); !name.Exists() && !password.Exists() {
			c.required(name, "")
			c.required(password, "")
		}
	case "kubernetes.io/ssh-auth":
		c.need(data.key("ssh-privatekey"))
	case "kubernetes.io/tls":
		c.needMember(data.key("tls.crt"))
		c.needMember(data.key("tls.key"))
	}
}

// needMember requires a key of a map, whose value may be empty.
func (c *check) needMember(f field) {
	if !f.Exists() {
		c.required(f, "")
	}
}

// jsonEntry requires that a value of data is a JSON object.
func (c *check) jsonEntry(entry field) {
	if !entry.Exists() {
		c.required(entry, "")
		return
	}
	text, err := base64.StdEncoding.DecodeString(entry.text())
	if err == nil {
		var d *document.Document
		if d, err = document.Parse(text, document.Options{Duplicates: document.DuplicatesLast}); err == nil &&
			(d.Root.Kind() == document.Object || d.Root.IsNull()) {
			return
		}
	}
	c.invalidText(entry, "<secret contents redacted>", "must hold a JSON object")
}
