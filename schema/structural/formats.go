package structural

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// textFormats are the formats of texts, without dashes, between spaces (apiextensions-apiserver,
// supportedVersionedFormats).
const textFormats = " bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor" +
	" rgbcolor byte password date duration datetime k8sshortname k8slongname "

// SupportedFormat returns the name of a format without dashes if a Kubernetes version validates it for values of a
// scalar, else "": other formats are ignored. The version is that of the catalog, or schema.DefaultVersion if it is nil.
// Formats of numbers are ignored before 1.36.
func SupportedFormat(catalog *schema.Catalog, s schema.Scalar, format string) string {
	switch s {
	case schema.IntegerScalar:
		if (format == "int32" || format == "int64") && catalog.Since("1.36") {
			return format
		}
	case schema.NumberScalar:
		if (format == "float" || format == "double") && catalog.Since("1.36") {
			return format
		}
	case schema.StringScalar, schema.AnyScalar:
		format = strings.ReplaceAll(format, "-", "")
		known := !strings.Contains(format, " ") && strings.Contains(textFormats, " "+format+" ")
		if known && (!strings.HasPrefix(format, "k8s") || catalog.Since("1.34")) {
			return format
		}
	}
	return ""
}

func (c *validator) supportedFormat(s schema.Scalar, format string) string {
	return SupportedFormat(c.catalog, s, format)
}

// matchesFormat reports whether a text has a supported format.
func matchesFormat(format, text string) bool {
	switch format {
	case "bsonobjectid":
		return len(text) == 24 && hexDigits(text)
	case "uri":
		_, err := url.ParseRequestURI(text)
		return err == nil
	case "email":
		return isEmail(text)
	case "hostname":
		return isHostname(text)
	case "ipv4":
		return isIP(text) && strings.Contains(text, ".")
	case "ipv6":
		a, err := netip.ParseAddr(text)
		return err == nil && a.Zone() == "" && strings.Contains(text, ":")
	case "cidr":
		return isCIDR(text)
	case "mac":
		return isMAC(text)
	case "uuid", "uuid3", "uuid4", "uuid5":
		return isUUID(text, format[4:])
	case "isbn":
		return isISBN10(text) || isISBN13(text)
	case "isbn10":
		return isISBN10(text)
	case "isbn13":
		return isISBN13(text)
	case "creditcard":
		return isCreditCard(text)
	case "ssn":
		return len(text) == 11 && patterns().ssn.MatchString(text)
	case "hexcolor":
		text = strings.TrimPrefix(text, "#")
		return (len(text) == 3 || len(text) == 6) && hexDigits(text)
	case "rgbcolor":
		return patterns().rgb.MatchString(text)
	case "byte":
		return text != "" && !strings.ContainsAny(text, "\r\n") && isBase64(text)
	case "date":
		return isDate(text)
	case "duration":
		return isDuration(text)
	case "datetime":
		return isDateTime(text)
	case "k8sshortname":
		return isShortName(text)
	case "k8slongname":
		return isLongName(text)
	}
	return true // password
}

type formatPatterns struct{ hostname, ssn, rgb, creditCard, time, duration *regexp.Regexp }

// patterns holds the regular expressions of formats; they are compiled on first use.
var patterns = sync.OnceValue(func() formatPatterns {
	const label = `[a-zA-Z0-9\p{S}\p{L}]`
	const colour = `\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`
	return formatPatterns{
		hostname: regexp.MustCompile(`^(` + label + `((-?` + label + `{0,62})?)|(` + label +
			`(([a-zA-Z0-9-\p{S}\p{L}]{0,61}` + label + `)?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`),
		ssn:        regexp.MustCompile(`^\d{3}[- ]?\d{2}[- ]?\d{4}$`),
		rgb:        regexp.MustCompile(`^rgb\(` + colour + `,` + colour + `,` + colour + `\)$`),
		creditCard: regexp.MustCompile(`^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$`),
		time:       regexp.MustCompile(`^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|([+-]\d{2}:\d{2}))$`),
		duration:   regexp.MustCompile(`(\d+)\s*([A-Za-zµ]+)`),
	}
})

func hexDigits(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

func isEmail(s string) bool {
	if open := strings.LastIndexByte(s, '<'); open >= 0 && strings.HasSuffix(s, ">") {
		s = s[open+1 : len(s)-1] // "Name <local@domain>"
	}
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || at == len(s)-1 {
		return false
	}
	return isDotAtom(s[:at]) && isDotAtom(s[at+1:])
}

// isDotAtom reports whether a text is a dot-atom (RFC 5322, 3.2.3): words joined by dots.
func isDotAtom(s string) bool {
	for _, word := range strings.Split(s, ".") {
		if word == "" || strings.ContainsAny(word, " \t\r\n()<>[]:;@\\,\"") {
			return false
		}
	}
	return true
}

func isHostname(s string) bool {
	if len(s) > 255 || !patterns().hostname.MatchString(s) {
		return false
	}
	for _, label := range strings.Split(s, ".") {
		if len(label) > 63 {
			return false
		}
	}
	return true
}

// isIP reports whether s is an IP address. Like Kubernetes, it accepts leading zeros.
func isIP(s string) bool {
	a, err := netip.ParseAddr(names.WithoutLeadingZeros(s))
	return err == nil && a.Zone() == ""
}

func isCIDR(s string) bool {
	addr, bits, ok := strings.Cut(s, "/")
	if !ok || !isIP(addr) || bits == "" || strings.Trim(bits, "0123456789") != "" {
		return false
	}
	n, err := strconv.Atoi(bits)
	most := 32
	if strings.Contains(addr, ":") {
		most = 128
	}
	return err == nil && n <= most
}

// isMAC reports whether s is 6, 8 or 20 hexadecimal bytes, in pairs separated by : or -, in groups of
// four digits separated by dots, or, since the Go 1.26 that Kubernetes 1.36 is built with, without
// separators.
func isMAC(s string) bool {
	if n := len(s); hexDigits(s) {
		return n == 12 || n == 16 || n == 40
	}
	for _, form := range []struct {
		separator string
		digits    int
	}{{":", 2}, {"-", 2}, {".", 4}} {
		groups := strings.Split(s, form.separator)
		switch len(groups) * form.digits {
		case 12, 16, 40:
		default:
			continue
		}
		ok := true
		for _, g := range groups {
			ok = ok && len(g) == form.digits && hexDigits(g)
		}
		if ok {
			return true
		}
	}
	return false
}

// isUUID reports whether s is a UUID with or without hyphens; version "" means any.
func isUUID(s, version string) bool {
	var digits strings.Builder
	at := [...]int{8, 12, 16, 20}
	for i := 0; i < len(s); i++ {
		if s[i] == '-' && slices.Contains(at[:], digits.Len()) && (i == 0 || s[i-1] != '-') {
			continue
		}
		digits.WriteByte(s[i])
	}
	d := digits.String()
	if len(d) != 32 || !hexDigits(d) {
		return false
	}
	switch version {
	case "3":
		return d[12] == '3'
	case "4", "5":
		return d[12] == version[0] && strings.IndexByte("89abAB", d[16]) >= 0
	}
	return true
}

// compact removes white space and hyphens from a printed number.
func compact(s string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "\f", "", "\v", "", "-", "").Replace(s)
}

func isISBN10(s string) bool {
	s = compact(s)
	if len(s) != 10 || strings.Trim(s[:9], "0123456789") != "" || s[9] != 'X' && (s[9] < '0' || s[9] > '9') {
		return false
	}
	sum := 0
	for i := range 9 {
		sum += (i + 1) * int(s[i]-'0')
	}
	if s[9] == 'X' {
		return (sum+100)%11 == 0
	}
	return (sum+10*int(s[9]-'0'))%11 == 0
}

func isISBN13(s string) bool {
	s = compact(s)
	if len(s) != 13 || strings.Trim(s, "0123456789") != "" {
		return false
	}
	sum := 0
	for i := range 12 {
		sum += (1 + i%2*2) * int(s[i]-'0')
	}
	return int(s[12]-'0') == (10-sum%10)%10
}

func isCreditCard(s string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if !patterns().creditCard.MatchString(digits) {
		return false
	}
	sum := 0
	for i := range digits {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n >= 10 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil
}

func isDate(s string) bool {
	_, err := time.Parse("2006-01-02", s)
	return err == nil
}

func isDateTime(s string) bool {
	parts := strings.Split(strings.ToLower(s), "t")
	if len(parts) < 2 || !isDate(parts[0]) {
		return false
	}
	m := patterns().time.FindStringSubmatch(parts[1])
	return m != nil && m[1] <= "23" && m[2] <= "59" && m[3] <= "59"
}

// isDuration reports whether s is a duration for Go's time.ParseDuration or a number with
// one of Scala's units, such as "22 nanos" or "3 weeks".
func isDuration(s string) bool {
	if _, err := time.ParseDuration(s); err == nil {
		return true
	}
	found := false
	for _, m := range patterns().duration.FindAllStringSubmatch(s, -1) {
		if _, err := strconv.ParseInt(m[1], 10, 64); err != nil {
			return false
		}
		found = found || isTimeUnit(strings.ToLower(m[2]))
	}
	return found
}

func isTimeUnit(unit string) bool {
	switch unit {
	case "ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk":
		return true
	}
	for _, long := range []string{"nano", "micro", "milli", "sec", "min", "hour", "day", "week"} {
		if strings.HasPrefix(unit, long) {
			return true
		}
	}
	return false
}

func isShortName(s string) bool { return len(s) <= 63 && isDNSName(s) }

func isLongName(s string) bool {
	if len(s) > 253 {
		return false
	}
	for _, part := range strings.Split(s, ".") {
		if !isDNSName(part) {
			return false
		}
	}
	return true
}

func isDNSName(s string) bool {
	return s != "" && s[0] != '-' && s[len(s)-1] != '-' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
