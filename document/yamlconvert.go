package document

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlConverter converts a YAML tree to JSON text and records the positions of its parts.
type yamlConverter struct {
	opts   Options
	out    []byte
	marks  []mark
	before int // lines of the input before the tree's
	budget int // bytes and merged members that may be written
	merged int // members and mappings that merge keys have added
	// converted are the keys that the JSON spells differently, up to maxDuplicates.
	converted []convertedKey
}

// left returns the budget that is left, which is negative if it is exceeded.
func (c *yamlConverter) left() int { return c.budget - len(c.out) - c.merged }

func (c *yamlConverter) fail(n *yaml.Node, reason string, cause error) error {
	return &SyntaxError{Position: Position{Name: c.opts.Name, Line: n.Line, Column: n.Column}, Reason: reason, Err: cause}
}

func (c *yamlConverter) node(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return c.fail(n, "lists and objects nest deeper than 10000 levels", ErrTooDeep)
	}
	if c.left() < 0 {
		return c.fail(n, "the document is too large after expanding aliases", ErrTooLarge)
	}
	c.marks = append(c.marks, newMark(len(c.out), c.before+n.Line, n.Column))
	switch n.Kind {
	case yaml.DocumentNode:
		return c.node(n.Content[0], depth)
	case yaml.AliasNode:
		if n.Alias == nil {
			return c.fail(n, unknownAnchor, ErrSyntax)
		}
		return c.node(n.Alias, depth+1)
	case yaml.SequenceNode:
		c.out = append(c.out, '[')
		for i, kid := range n.Content {
			if i > 0 {
				c.out = append(c.out, ',')
			}
			if err := c.node(kid, depth+1); err != nil {
				return err
			}
		}
		c.out = append(c.out, ']')
		return nil
	case yaml.MappingNode:
		return c.mapping(n, depth)
	case yaml.ScalarNode:
		return c.scalar(n)
	}
	c.out = append(c.out, "null"...) // an empty document
	return nil
}

// yamlMember is a key and value of a mapping; merged is set if it comes from a merge key
// (<<).
type yamlMember struct {
	name       string
	key, value *yaml.Node
	merged     bool
}

func (c *yamlConverter) mapping(n *yaml.Node, depth int) error {
	var members []yamlMember
	if err := c.gather(n, false, depth, &members); err != nil {
		return err
	}
	last := make(map[string]int, len(members))
	for i, m := range members {
		if j, twice := last[m.name]; twice {
			if !m.merged && !members[j].merged && c.opts.Duplicates == DuplicatesRefused {
				return c.fail(m.key, "key \""+m.name+"\" is duplicated in the object", ErrDuplicateKey)
			}
			if (m.merged || members[j].merged) && c.opts.Duplicates == DuplicatesRefused {
				members[j].value = nil // overriding a merged key is not a duplicate
			}
		}
		last[m.name] = i
	}
	c.out = append(c.out, '{')
	first := true
	for _, m := range members {
		if m.value == nil {
			continue
		}
		if !first {
			c.out = append(c.out, ',')
		}
		first = false
		c.marks = append(c.marks, newMark(len(c.out), c.before+m.key.Line, m.key.Column))
		c.out = append(AppendQuoted(c.out, m.name), ':')
		if written := keyNode(m.key); written.Style == 0 && written.Value != m.name && len(c.converted) < maxDuplicates {
			c.converted = append(c.converted, convertedKey{len(c.out), written.Value})
		}
		if err := c.node(m.value, depth+1); err != nil {
			return err
		}
	}
	c.out = append(c.out, '}')
	return nil
}

// gather lists a mapping's members in order, with those of merged mappings in their place.
func (c *yamlConverter) gather(n *yaml.Node, merged bool, depth int, members *[]yamlMember) error {
	if merged {
		c.merged += 1 + len(n.Content)/2
	}
	if depth > maxDepth || c.left() < 0 {
		return c.fail(n, "the document is too large after expanding merge keys", ErrTooLarge)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Value == "<<" && (k.Style == 0 || k.Tag == "!!merge") {
			if err := c.merge(v, depth, members); err != nil {
				return err
			}
			continue
		}
		name, err := c.key(k)
		if err != nil {
			return err
		}
		*members = append(*members, yamlMember{name, k, v, merged})
	}
	return nil
}

// merge processes the value of a merge key: a mapping, or a list of mappings of which
// earlier ones take precedence.
func (c *yamlConverter) merge(v *yaml.Node, depth int, members *[]yamlMember) error {
	if v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	switch {
	case v != nil && v.Kind == yaml.MappingNode:
		return c.gather(v, true, depth+1, members)
	case v != nil && v.Kind == yaml.SequenceNode:
		for _, item := range slices.Backward(v.Content) {
			if item.Kind == yaml.AliasNode {
				item = item.Alias
			}
			if item == nil || item.Kind != yaml.MappingNode {
				return c.fail(v, "the value of a merge key must be a mapping", ErrSyntax)
			}
			if err := c.gather(item, true, depth+1, members); err != nil {
				return err
			}
		}
		return nil
	}
	return c.fail(v, "the value of a merge key must be a mapping or a list of mappings", ErrSyntax)
}

// key converts a scalar key to text: numbers and booleans in their printed form.
func (c *yamlConverter) key(k *yaml.Node) (string, error) {
	k = keyNode(k)
	if k.Kind != yaml.ScalarNode {
		return "", c.fail(k, "a key must be a string, not a list or an object", ErrSyntax)
	}
	if name, ok := infiniteKey(k); ok {
		return name, nil
	}
	s, err := c.resolve(k)
	if err != nil {
		return "", err
	}
	switch s.kind {
	case Null:
		return "", c.fail(k, "a key must not be null", ErrSyntax)
	case Number:
		if s.float {
			f, _ := strconv.ParseFloat(s.text, 64)
			return strconv.FormatFloat(f, 'g', -1, 32), nil
		}
		if _, err := strconv.ParseInt(s.text, 10, 64); err != nil {
			return "", c.fail(k, "a key must not be an integer of more than 64 bits; quote it", ErrSyntax)
		}
	}
	return s.text, nil
}

// keyNode returns the node of a key, which may be an alias.
func keyNode(k *yaml.Node) *yaml.Node {
	if k.Kind == yaml.AliasNode && k.Alias != nil {
		return k.Alias
	}
	return k
}

// infiniteKey returns the text of a key that is infinite or NaN. As values these are not
// valid in JSON.
func infiniteKey(k *yaml.Node) (string, bool) {
	if k.Style != 0 {
		return "", false
	}
	switch strings.ToLower(k.Value) {
	case ".nan":
		return ".nan", resolvePlain(k.Value).kind == Absent
	case ".inf", "+.inf":
		return ".inf", resolvePlain(k.Value).kind == Absent
	case "-.inf":
		return "-.inf", resolvePlain(k.Value).kind == Absent
	}
	return "", false
}

func (c *yamlConverter) scalar(n *yaml.Node) error {
	s, err := c.resolve(n)
	if err != nil {
		return err
	}
	if s.kind == String {
		c.out = AppendQuoted(c.out, s.text)
		return nil
	}
	c.out = append(c.out, s.text...)
	return nil
}
