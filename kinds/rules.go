package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
)

// Rules for single values.

// need requires a value that is not empty, and reports whether there is one.
func (c *check) need(f field) bool { return c.needWith(f, "") }

// needWith is need with a detail of the error.
func (c *check) needWith(f field, detail string) bool {
	if f.isEmpty() {
		c.required(f, detail)
		return false
	}
	return true
}

// undeclared returns the detail of an error that a rule beside the type reports from Kubernetes 1.37
// on (declarative validation, KEP-5073): these have none.
func (c *check) undeclared(detail string) string {
	if c.kind.Since("1.37") {
		return ""
	}
	return detail
}

// oneOf requires one of the values in a comma-separated list. The empty string is a value like
// any other, as for a Go string; see oneOfIfSet.
func (c *check) oneOf(f field, supported string) {
	if !among(f.text(), supported) {
		c.notSupported(f, supported)
	}
}

// oneOfIfSet is oneOf for an optional field; the empty string is invalid.
func (c *check) oneOfIfSet(f field, supported string) {
	if f.isSet() {
		c.oneOf(f, supported)
	}
}

// needOneOf requires a value that is in a comma-separated list.
func (c *check) needOneOf(f field, supported string) {
	if c.need(f) {
		c.oneOf(f, supported)
	}
}

// chosen is oneOf for a field that is a pointer in Go, so that the empty string counts as set.
func (c *check) chosen(f field, supported string) {
	if f.isSet() {
		c.oneOf(f, supported)
	} else {
		c.required(f, "")
	}
}

// among reports whether text is an item of a comma-separated list.
func among(text, list string) bool {
	for more := true; more; {
		var one string
		if one, list, more = strings.Cut(list, ","); one == text {
			return true
		}
	}
	return false
}

// portRange is the detail of the error for a port out of range.
const portRange = "must be between 1 and 65535, inclusive"

// minimum requires an integer of at least low.
func (c *check) minimum(f field, low int64) {
	if i, ok := f.Int(); ok && i < low {
		c.invalid(f, "must be greater than or equal to "+strconv.FormatInt(low, 10))
	}
}

// natural requires an integer that is not negative. Rules in Kubernetes word this in several ways.
func (c *check) natural(f field, detail string) {
	if i, ok := f.Int(); ok && i < 0 {
		c.invalid(f, detail)
	}
}

const (
	zeroOrMore  = "must be greater than or equal to zero"
	zeroAtLeast = "must be greater than or equal to 0"
	nonNegative = "must be a non-negative integer"
	aboveZero   = "must be greater than zero"
)

// between requires an integer from low to high.
func (c *check) between(f field, low, high int64) {
	if i, ok := f.Int(); ok && (i < low || i > high) {
		c.invalid(f, "must be between "+strconv.FormatInt(low, 10)+" and "+strconv.FormatInt(high, 10)+", inclusive")
	}
}

// port requires a port number, 1 to 65535; an absent one counts as 0.
func (c *check) port(f field) {
	if i := f.number(); i < 1 || i > 65535 {
		c.invalid(f, portRange)
	}
}

// servicePort requires a valid port, if there is one, in the reference to a Service that is called.
func (c *check) servicePort(f field) {
	if i, ok := f.Int(); ok && (i < 1 || i > 65535) {
		c.invalid(f, "port is not valid: "+portRange)
	}
}

// domainPrefixedPath requires a domain and a path, such as acme.io/foo. An error of one of them
// shows only that part.
func (c *check) domainPrefixedPath(f field) {
	if !c.need(f) {
		return
	}
	why := names.DomainPrefixedPath(f.text())
	domain, path, _ := strings.Cut(f.text(), "/")
	switch {
	case why == "":
	case domain == "" || path == "":
		c.invalid(f, why)
	default:
		for _, requirement := range strings.Split(why, "\n") {
			shown := domain
			if strings.HasPrefix(requirement, names.InvalidPath) {
				shown = path
			}
			c.invalidText(f, shown, requirement)
		}
	}
}

// portOrName requires a port number or name.
func (c *check) portOrName(f field) {
	if f.Kind() == document.String {
		c.syntax(f, names.PortName)
		return
	}
	c.port(f)
}

// maxBytes limits the length of a string in bytes.
func (c *check) maxBytes(f field, limit int) {
	if len(f.text()) > limit {
		c.tooLong(f, limit)
	}
}

// maxItems limits the length of a list.
func (c *check) maxItems(f field, limit int) {
	if f.items() > limit {
		c.tooMany(f, limit)
	}
}

// syntax applies a function of package names to a string, including the empty one.
func (c *check) syntax(f field, rule func(string) string) bool {
	if why := rule(f.text()); why != "" {
		c.unmet(f, why)
		return false
	}
	return true
}

// syntaxIfSet is syntax for an optional string.
func (c *check) syntaxIfSet(f field, rule func(string) string) {
	if f.text() != "" {
		c.syntax(f, rule)
	}
}

// needSyntax requires a string that is not empty and has valid syntax.
func (c *check) needSyntax(f field, rule func(string) string) {
	if c.need(f) {
		c.syntax(f, rule)
	}
}

// labels requires valid label keys and values. Errors are reported for the map.
func (c *check) labels(f field) {
	for i := range f.members() {
		key := f.Key(i)
		if why := names.QualifiedName(key); why != "" {
			c.unmetText(f, key, why)
		}
		value := f.At(i).StringOr("")
		if why := names.LabelValue(value); why != "" {
			c.unmetText(f, value, why)
		}
	}
}

// maxAnnotations is the maximum size of annotations, their keys included.
const maxAnnotations = 256 << 10

// annotations requires keys with the syntax of label keys, ignoring case, and limits the total
// size. Errors are reported for the map.
func (c *check) annotations(f field) {
	size := 0
	for i := range f.members() {
		key := f.Key(i)
		if why := names.QualifiedName(strings.ToLower(key)); why != "" {
			c.unmetText(f, key, why)
		}
		size += len(key) + len(f.At(i).StringOr(""))
	}
	if size > maxAnnotations {
		c.tooLong(f, maxAnnotations)
	}
}

// seenTexts is a set of strings that does not allocate while it is small.
type seenTexts struct {
	few   [8]string
	count int
	many  map[string]bool
}

// add adds a text and reports whether the set contained it.
func (s *seenTexts) add(text string) bool {
	if s.has(text) {
		return true
	}
	if s.count < len(s.few) {
		s.few[s.count] = text
		s.count++
		return false
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	s.many[text] = true
	return false
}

func (s *seenTexts) has(text string) bool {
	for _, t := range s.few[:s.count] {
		if t == text {
			return true
		}
	}
	return s.many[text]
}

// numberOrPercent requires a non-negative integer or a percentage; an absent value is valid.
func (c *check) numberOrPercent(f field) {
	if f.Kind() != document.String {
		c.minimum(f, 0)
		return
	}
	if _, ok := percent(f.text()); !ok {
		c.invalid(f, "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")
	}
}

// atMost100Percent limits a percentage.
func (c *check) atMost100Percent(f field) {
	if n, ok := percent(f.text()); ok && n > 100 {
		c.invalid(f, "must not be greater than 100%")
	}
}

// percent parses a percentage. One that exceeds an int is still a percentage.
func percent(text string) (n int, ok bool) {
	number, found := strings.CutSuffix(text, "%")
	if !found || number == "" || strings.Trim(number, "0123456789") != "" {
		return 0, false
	}
	n, _ = strconv.Atoi(number)
	return n, true
}

// conditions validates a list of metav1.Condition.
func (c *check) conditions(list field) {
	var types seenTexts
	for i := range list.items() {
		condition := list.item(i)
		name, status := condition.get("type"), condition.get("status")
		twice := types.add(name.text()) // empty ones as well
		if c.kind.Since("1.37") {
			if twice {
				c.addValue(schema.ErrorDuplicate, condition, name.text(), "")
			}
			c.needSyntax(name, names.QualifiedName)
			c.needOneOf(status, "False,True,Unknown")
		} else {
			if twice {
				c.duplicate(name)
			}
			c.syntax(name, names.QualifiedName)
			c.oneOf(status, "False,True,Unknown")
		}
		c.natural(condition.get("observedGeneration"), zeroOrMore)
		c.need(condition.get("lastTransitionTime"))
		reason := condition.get("reason")
		if c.need(reason) {
			c.syntax(reason, names.ConditionReason)
			c.maxBytes(reason, 1<<10)
		}
		c.maxBytes(condition.get("message"), 32<<10)
	}
}

// declaredImmutable is immutable for a field whose type declares that from Kubernetes 1.37 on. The
// error then shows no value.
func (c *check) declaredImmutable(f, old field) {
	mark := len(c.errs)
	if !c.immutable(f, old) && c.kind.Since("1.37") {
		c.errs[mark].BadValue = document.NewNull()
	}
}

// immutable requires that the value is semantically unchanged, and reports whether it is.
func (c *check) immutable(f, old field) bool {
	if c.same(f, old) {
		return true
	}
	c.invalidChange(f, isImmutable)
	if f.Kind() == document.Object || f.Kind() == document.List {
		c.nameChanges(f, f.Value, old.Value)
	}
	return false
}
