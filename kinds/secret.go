package kinds

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// secretStrategy is the strategy of v1 Secret.
var secretStrategy = Strategy{
	Resource:      "secrets",
	Name:          subdomainName,
	metadataAgain: changeFirst,
	Selectable: []SelectableField{
		{Label: "type"},
	},
}

func validateSecret(c *check, object, old field) {
	data := object.get("data")
	if old.isSet() {
		c.immutable(object.get("type"), old.get("type"))
		c.sealed(object, old, "data")
		c.metadataAt = len(c.errs)
	}
	size := 0
	for i := range data.members() {
		entry, key := data.memberAt(i)
		c.dataKey(entry, key)
		size += DecodedLen(entry.text())
	}
	if size > MaxData {
		c.tooLong(data, MaxData)
	}
	c.secretType(object, data)
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
	text, _ := base64.StdEncoding.DecodeString(entry.text())
	if why := notObject(text); why != "" {
		c.invalidText(entry, "<secret contents redacted>", why)
	}
}

// notObject returns why a text is no JSON object, "" if it is one or null. The messages are those of
// encoding/json, in a browser except for syntax errors within the text.
func notObject(text []byte) string {
	if len(bytes.TrimSpace(text)) == 0 {
		return "unexpected end of JSON input"
	}
	d, err := document.Parse(text, document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		return jsonError(string(text), nil, "must hold a JSON object")
	}
	is := ""
	switch d.Root.Kind() {
	case document.String:
		is = "string"
	case document.Number:
		is = "number"
	case document.Bool:
		is = "bool"
	case document.List:
		is = "array"
	default:
		return ""
	}
	return "json: cannot unmarshal " + is + " into Go value of type map[string]interface {}"
}

// warnSecret warns about a TLS Secret without a certificate or key (crypto/tls, X509KeyPair).
// kube-apiserver also warns about those that cannot be decoded, or that are no pair.
func warnSecret(a *advice, object, _ field) {
	if object.get("type").text() != "kubernetes.io/tls" {
		return
	}
	data := object.get("data")
	certificate, others := pemBlocks(data.key("tls.crt"), func(kind string) bool { return kind == "CERTIFICATE" })
	if !certificate {
		switch {
		case len(others) == 0:
			a.say("tls: failed to find any PEM data in certificate input")
		case len(others) == 1 && strings.HasSuffix(others[0], "PRIVATE KEY"):
			a.say("tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched")
		default:
			a.say(`tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [` + strings.Join(others, " ") + "]")
		}
		return
	}
	key, others := pemBlocks(data.key("tls.key"), func(kind string) bool { return kind == "PRIVATE KEY" || strings.HasSuffix(kind, " PRIVATE KEY") })
	switch {
	case key:
	case len(others) == 0:
		a.say("tls: failed to find any PEM data in key input")
	case len(others) == 1 && others[0] == "CERTIFICATE":
		a.say("tls: found a certificate rather than a key in the PEM for the private key")
	default:
		a.say(`tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [` + strings.Join(others, " ") + "]")
	}
}

// pemBlocks reports whether a base64 text contains a PEM block of a wanted type, and returns the
// types of the other blocks.
func pemBlocks(entry field, wanted func(kind string) bool) (found bool, others []string) {
	rest, _ := base64.StdEncoding.DecodeString(entry.text())
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return found, others
		}
		if wanted(block.Type) {
			found = true
		} else {
			others = append(others, block.Type)
		}
	}
}
