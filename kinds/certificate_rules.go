//go:build !js

package kinds

import (
	"encoding/pem"
	"strconv"
	"strings"
	"time"
)

// The rules for the contents of certificates are left out in the engines for browsers, which have a
// budget (doc/playground.md).

// certificateRequest requires a base64 request for a certificate with a supported key.
func (c *check) certificateRequest(f field) {
	if key, ok := requestedKey(f.text()); !ok {
		c.invalidAlone(f, "must be a valid PKCS#10 CSR")
	} else if why := unsupportedKey(key); why != "" {
		c.invalidText(f, valueOmitted, why)
	}
}

// trustBundle requires PEM blocks that are different certificates of authorities.
func (c *check) trustBundle(f field) {
	const maxBundle = 1 << 20
	if len(f.text()) > maxBundle {
		c.tooLong(f, maxBundle)
		return
	}
	mark := len(c.errs)
	var anchors []string // the different ones, in order
	positions := map[string][]string{}
	block, rest := pem.Decode([]byte(f.text()))
	for i := 0; block != nil; i++ {
		position := strconv.Itoa(i)
		if why := notAuthority(block); why != "" {
			c.invalidText(f, valueOmitted, "entry "+position+" "+why)
		}
		anchor := string(block.Bytes)
		if positions[anchor] == nil {
			anchors = append(anchors, anchor)
		}
		positions[anchor] = append(positions[anchor], position)
		block, rest = pem.Decode(rest)
	}
	if c.failed(mark) {
		return
	}
	if len(anchors) == 0 {
		c.invalidText(f, valueOmitted, "at least one trust anchor must be provided")
	}
	for _, anchor := range anchors {
		if at := positions[anchor]; len(at) > 1 {
			c.invalidText(f, valueOmitted, "duplicate trust anchor (indices ["+strings.Join(at, " ")+"])")
		}
	}
}

// notAuthority returns why a PEM block is not the certificate of an authority, "" if it is.
func notAuthority(block *pem.Block) string {
	if block.Type != certificateBlock {
		return "has bad block type: " + block.Type
	}
	if len(block.Headers) > 0 {
		return "has PEM block headers"
	}
	switch parsed, ok := parseCertificate(block.Bytes); {
	case !ok:
		return "does not parse as X.509"
	case !parsed.authority:
		return "does not have the CA bit set"
	}
	return ""
}

// issued validates a status with a certificate for the request. That it is valid now is not
// checked.
func (c *check) issued(spec, status field) {
	const maxChain = 100 << 10
	chain := status.get("certificateChain")
	if len(chain.text()) > maxChain {
		c.tooLong(chain, maxChain)
		return
	}
	block, rest := pem.Decode([]byte(chain.text()))
	if block == nil {
		c.invalid(chain, "issued certificate chain must contain at least one certificate")
		return
	}
	leaf, ok := c.chained(chain, block, "leaf")
	if !ok {
		return
	}
	if key, ok := requestedKey(spec.get("stubPKCS10Request").text()); ok && key != leaf.key {
		c.invalid(chain, "leaf certificate was not issued to the requested public key")
		return
	}
	from, refresh, until := status.get("notBefore"), status.get("beginRefreshAt"), status.get("notAfter")
	const consistent = "must be present and consistent with the issued certificate"
	c.needWith(from, consistent)
	c.needWith(until, consistent)
	c.needWith(refresh, "must be present and in the range [notbefore+10min, notafter-10min]")
	if !from.isSet() || !refresh.isSet() || !until.isSet() {
		return
	}
	start, again, end := timeOf(from), timeOf(refresh), timeOf(until)
	const margin = 10 * time.Minute
	switch lifetime := leaf.notAfter.Sub(leaf.notBefore); {
	case !start.Equal(leaf.notBefore):
		c.invalid(from, "must be set to the NotBefore time encoded in the leaf certificate")
	case !end.Equal(leaf.notAfter):
		c.invalid(until, "must be set to the NotAfter time encoded in the leaf certificate")
	case lifetime < time.Hour:
		c.invalidText(chain, lifetime.String(), "leaf certificate lifetime must be >= 1 hour")
	case lifetime > time.Duration(spec.get("maxExpirationSeconds").number())*time.Second:
		c.invalidText(chain, lifetime.String(), "leaf certificate lifetime must be <= spec.maxExpirationSeconds ("+spec.get("maxExpirationSeconds").Value.NumberText()+")")
	case again.Before(start.Add(margin)):
		c.invalid(refresh, "must be at least 10 minutes after status.notBefore")
	case again.After(end.Add(-margin)):
		c.invalid(refresh, "must be at least 10 minutes before status.notAfter")
	default:
		for block, rest = pem.Decode(rest); block != nil && ok; block, rest = pem.Decode(rest) {
			_, ok = c.chained(chain, block, "intermediate")
		}
	}
}

// chained reads a certificate of a chain; role names it in messages.
func (c *check) chained(chain field, block *pem.Block, role string) (certificate, bool) {
	if block.Type != certificateBlock {
		c.invalid(chain, "issued certificate chain must consist entirely of CERTIFICATE PEM blocks")
		return certificate{}, false
	}
	parsed, ok := parseCertificate(block.Bytes)
	if !ok {
		c.invalid(chain, role+" certificate does not parse as valid X.509")
	}
	return parsed, ok
}

// timeOf returns the point in time that a field holds.
func timeOf(f field) time.Time {
	t, _ := time.Parse(time.RFC3339, f.text())
	return t
}
