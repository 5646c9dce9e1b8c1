package structural

import (
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func texts(errs []schema.FieldError) string {
	var list []string
	for _, e := range errs {
		list = append(list, e.Error())
	}
	return strings.Join(list, "\n")
}

func TestValidate(t *testing.T) {
	for _, c := range []struct{ schema, in, want string }{
		// type
		{"{type: integer}", "x", `spec: Invalid value: "string": spec in body must be of type integer: "string"`},
		{"{type: integer}", "2.0", ""},
		{"{type: integer}", "2.5", `spec: Invalid value: "number": spec in body must be of type integer: "number"
<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec`},
		{"{type: number}", "2", ""},
		{"{type: string}", "null", `spec: Invalid value: "null": spec in body must be of type string: "null"`},
		{"{type: string, nullable: true}", "null", ""},
		{"{x-kubernetes-int-or-string: true}", "true", `spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"`},
		{"{x-kubernetes-int-or-string: true}", "50%", ""},
		// a type beside int-or-string is ignored
		{"{type: string, x-kubernetes-int-or-string: true}", "8529", ""},
		{"{type: string, x-kubernetes-int-or-string: true, pattern: ^x}", "a", `spec: Invalid value: "a": spec in body should match '^x'`},
		{"{type: integer, x-kubernetes-int-or-string: true, minimum: 3}", "1", "spec: Invalid value: 1: spec in body should be greater than or equal to 3"},
		{"{type: number, x-kubernetes-int-or-string: true}", "1.5", `spec: Invalid value: "number": spec in body must be of type integer,string: "number"`},
		{"{type: object, x-kubernetes-int-or-string: true}", "{}", `spec: Invalid value: "object": spec in body must be of type integer,string: "object"`},
		{"{type: array, x-kubernetes-int-or-string: true, items: {type: string}}", "[]", `spec: Invalid value: "array": spec in body must be of type integer,string: "array"`},
		{"{x-kubernetes-preserve-unknown-fields: true}", "[{a: null}]", ""},
		{"{type: object, properties: {a: {type: array, items: {type: boolean}}}}", "{a: [true, 1]}", `spec.a[1]: Invalid value: "integer": spec.a[1] in body must be of type boolean: "integer"`},

		// an integer is compared with the values of an enumeration as the character of its number, which a fraction has not
		{"{type: string, enum: [a, b]}", "97", `spec: Invalid value: "integer": spec in body must be of type string: "integer"`},
		{"{type: string, enum: [a, b]}", "1114112", `spec: Invalid value: "integer": spec in body must be of type string: "integer"
spec: Unsupported value: 1114112: supported values: "a", "b"`},
		{"{type: string, enum: [a, b]}", "-1", `spec: Invalid value: "integer": spec in body must be of type string: "integer"
spec: Unsupported value: -1: supported values: "a", "b"`},

		// the first item of a keyed list that is neither an object nor null ends the comparison of its keys
		{"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}", "[{k: a}, x, {k: a}]",
			`spec[1]: Invalid value: "string": spec[1] in body must be of type object: "string"
spec[1]: Invalid value: "x": must be an object for an array of list-type map`},

		// required
		{"{type: object, required: [a], properties: {a: {type: string}}}", "{}", "spec.a: Required value"},
		{"{type: object, required: [a], properties: {a: {type: string, nullable: true}}}", "{a: null}", ""},
		{"{type: object, required: [b, a], properties: {a: {type: string}, b: {type: string}}}", "{}", "spec.b: Required value\nspec.a: Required value"}, // in the order of the schema

		// an error that several schemas find is reported once
		{"{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}", "{}",
			"<nil>: Invalid value: \"\": \"spec\" must validate at least one schema (anyOf)\nspec.a: Required value"},
		{"{type: string, maxLength: 3, allOf: [{maxLength: 3}]}", "longer",
			"spec: Too long: may not be more than 3 bytes\n<nil>: Invalid value: \"\": \"spec\" must validate all the schemas (allOf). None validated"},

		// enum
		{"{type: string, enum: [a, b]}", "c", `spec: Unsupported value: "c": supported values: "a", "b"`},
		// texts of custom resources are quoted by Go's rules, as recorded
		{`{type: string, enum: [a, "<b>"]}`, `"<&\u200b\x7f"`, `spec: Unsupported value: "<&\u200b\x7f": supported values: "a", "<b>"`},
		{"{type: string, format: date}", `"<&\u200b\x7f"`, `spec: Invalid value: "<&\u200b\x7f": spec in body must be of type date: "<&\u200b\x7f"`},
		{"{type: integer, enum: [1, 2]}", "3", `spec: Unsupported value: 3: supported values: "1", "2"`},
		// a value is converted to the type of a listed one, as recorded from kube-apiserver
		{"{type: number, enum: [1, 2]}", "2.5", ""},
		{"{type: number, enum: [-1]}", "-1.5", ""},
		{"{type: number, enum: [1, 2]}", "0.5", `spec: Unsupported value: 0.5: supported values: "1", "2"`},
		{"{type: number, enum: [1.5, 2]}", "1.6", `spec: Unsupported value: 1.6: supported values: "1.5", "2"`},
		{"{x-kubernetes-preserve-unknown-fields: true, enum: [1]}", "1.9", ""},
		{"{x-kubernetes-preserve-unknown-fields: true, enum: [A]}", "65", ""},
		{"{x-kubernetes-preserve-unknown-fields: true, enum: ['65']}", "65", `spec: Unsupported value: 65: supported values: "65"`},
		{"{type: string, enum: [A]}", "65", `spec: Invalid value: "integer": spec in body must be of type string: "integer"`},
		// the format of a number comes before its other rules, and that of a text before the enum
		{"{type: integer, enum: [1, 2], minimum: 1}", "-1.5", `spec: Invalid value: "number": spec in body must be of type integer: "number"
<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec
spec: Invalid value: -1.5: spec in body should be greater than or equal to 1
spec: Unsupported value: -1.5: supported values: "1", "2"`},
		{"{type: string, format: date, pattern: ^2, enum: [a]}", "x", `spec: Invalid value: "x": spec in body should match '^2'
spec: Invalid value: "x": spec in body must be of type date: "x"
spec: Unsupported value: "x": supported values: "a"`},
		{"{type: string, nullable: true, enum: [a, null]}", "null", `spec: Unsupported value: null: supported values: "a", "null"`},

		// strings
		{"{type: string, pattern: ^a}", "ba", `spec: Invalid value: "ba": spec in body should match '^a'`},
		{"{type: string, pattern: a}", "ba", ""},
		{"{type: string, minLength: 2}", "é", `spec: Invalid value: "é": spec in body should be at least 2 chars long`},
		{"{type: string, maxLength: 2}", "abc", "spec: Too long: may not be more than 2 bytes"},

		// numbers
		{"{type: integer, minimum: 0}", "-1", "spec: Invalid value: -1: spec in body should be greater than or equal to 0"},
		{"{type: integer, minimum: 0, exclusiveMinimum: true}", "0", "spec: Invalid value: 0: spec in body should be greater than 0"},
		{"{type: number, maximum: 1.5}", "1.6", "spec: Invalid value: 1.6: spec in body should be less than or equal to 1.5"},
		{"{type: number, maximum: 10}", "12345678.5", "spec: Invalid value: 1.23456785e+07: spec in body should be less than or equal to 10"}, // a float as Go prints it
		{"{type: number, maximum: 10}", "12345678", "spec: Invalid value: 12345678: spec in body should be less than or equal to 10"},
		{"{type: number, maximum: 1.5, exclusiveMaximum: true}", "1.5", "spec: Invalid value: 1.5: spec in body should be less than 1.5"},
		{"{type: integer, multipleOf: 5}", "12", "spec: Invalid value: 12: spec in body should be a multiple of 5"},
		{"{type: integer, format: int32}", "2147483648", `<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec`},
		{"{type: integer, format: int64}", "2147483648", ""},
		// the largest float, in the shortest form that is read as it, and a number that is not
		{"{type: number, format: float}", "3.4028235e+38", ""},
		{"{type: number, format: float}", "-3.4028235e+38", ""},
		{"{type: number, format: float}", "3.4028236e+38", `<nil>: Invalid value: "": Checked value must be of type number with format float in spec`},

		// lists and objects
		{"{type: array, minItems: 1, items: {type: string}}", "[]", "spec: Invalid value: 0: spec in body should have at least 1 items"},
		{"{type: array, maxItems: 1, items: {type: string}}", "[a, b]", "spec: Too many: 2: must have at most 1 item"},
		{"{type: object, minProperties: 1}", "{}", "spec: Invalid value: 0: spec in body should have at least 1 properties"},
		{"{type: object, maxProperties: 1, additionalProperties: {type: string}}", "{a: x, b: x}", "spec: Too many: 2: must have at most 1 item"},

		// junctors
		{"{type: string, anyOf: [{minLength: 2}, {pattern: b}]}", "a", `<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)
spec: Invalid value: "a": spec in body should be at least 2 chars long`},
		{"{type: string, oneOf: [{minLength: 1}, {pattern: a}]}", "a", `<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives`},
		{"{type: string, not: {pattern: a}}", "a", `<nil>: Invalid value: "": "spec" must not validate the schema (not)`},
		{"{type: object, properties: {a: {type: string}}, allOf: [{required: [a]}]}", "{}", `spec.a: Required value
<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated`},

		// sets and keyed lists
		{"{type: array, x-kubernetes-list-type: set, items: {type: integer}}", "[1, 2, 1, 1]", "spec[2]: Duplicate value: 1"},
		{"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, required: [a], properties: {a: {type: string}}}}",
			"[{a: x}, {a: x}]", `spec[1]: Duplicate value: {"a":"x"}`},
		{"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], items: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}}",
			"[{a: x, b: z}, {a: z, b: x}]", ""},

		// embedded objects
		{"{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}", "{apiVersion: a/b/c}",
			`spec.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c
spec.kind: Required value`},
	} {
		got := texts(Validate(typeOf(t, c.schema), parse(t, thing+c.in+"}"), Options{}))
		if got != c.want {
			t.Errorf("%s against %s:\ngot  %s\nwant %s", c.in, c.schema, got, c.want)
		}
	}
}

// TestSetDistinguishesIntegerFromFloat: 1 and 1.0 are different items of a set, as in kube-apiserver.
func TestSetDistinguishesIntegerFromFloat(t *testing.T) {
	typ := typeOf(t, "{type: array, x-kubernetes-list-type: set, items: {type: number}}")
	doc, err := document.Parse([]byte(`{"spec":[1,1.0]}`), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if errs := Validate(typ, doc.Root, Options{}); len(errs) > 0 {
		t.Error(texts(errs))
	}
}

// TestLongAndShortListsHaveSameDuplicates: the index for long lists and the pairwise comparison of short ones
// find the same duplicates.
func TestLongAndShortListsHaveSameDuplicates(t *testing.T) {
	typ := typeOf(t, "{type: array, x-kubernetes-list-type: set, items: {x-kubernetes-preserve-unknown-fields: true}}")
	tail := `1, 2, "1", true, null, {a: 1}, {a: 1}, [x], 1, [x], [x]`
	short := Validate(typ, parse(t, thing+"["+tail+"]}"), Options{})
	long := Validate(typ, parse(t, thing+"["+tail+", a, b, c, d, e, f, g, h]}"), Options{})
	if texts(short) != texts(long) || len(short) != 3 {
		t.Errorf("short: %s\nlong: %s", texts(short), texts(long))
	}
}

func TestRatchet(t *testing.T) {
	const keyed = "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, required: [a], properties: {a: {type: string}, m: {type: integer, maximum: 5}}}}"
	for _, c := range []struct{ schema, old, in, want, reason string }{
		{"{type: object, properties: {a: {type: integer, maximum: 5}, b: {type: string}}}", "{a: 9}", "{a: 9, b: x}", "", "a value that was invalid before"},
		{"{type: object, properties: {a: {type: integer, maximum: 5}}}", "{a: 9}", "{a: 8}", "spec.a: Invalid value: 8: spec.a in body should be less than or equal to 5", "a value that was invalid in another way"},
		{"{type: object, required: [c], properties: {b: {type: string}}}", "{}", "{b: x}", "spec.c: Required value", "an object that changed is checked again"},
		{keyed, "[{a: x, m: 9}]", "[{a: z, m: 1}, {a: x, m: 9}]", "", "an item of the same key elsewhere"},
		{keyed, "[{a: x, m: 9}]", "[{a: z, m: 9}]", "spec[0].m: Invalid value: 9: spec[0].m in body should be less than or equal to 5", "an item of another key"},
		{"{type: array, items: {type: integer, maximum: 5}}", "[9]", "[9, 1]", "spec[0]: Invalid value: 9: spec[0] in body should be less than or equal to 5", "items of an atomic list are not ratcheted"},
		{"{type: array, x-kubernetes-list-type: set, items: {type: integer}}", "[1, 1]", "[2, 2]", "", "duplicates in a list that had duplicates"},
		{"{type: array, x-kubernetes-list-type: set, items: {type: integer}}", "[1]", "[1, 1]", "spec[1]: Duplicate value: 1", "duplicates in a list that had none"},
	} {
		got := texts(Validate(typeOf(t, c.schema), parse(t, thing+c.in+"}"), Options{Old: parse(t, thing+c.old+"}")}))
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.reason, got, c.want)
		}
	}
}

func TestValidateDefaults(t *testing.T) {
	for _, c := range []struct{ schema, want, reason string }{
		{"{type: object, properties: {a: {type: integer, default: 1}}}", "", "valid"},
		{"{type: object, properties: {a: {type: integer, default: x}}}", "properties[a].default: Invalid value", "a default of another type"},
		{"{type: object, default: {b: 1}, properties: {a: {type: string}}}", "default: Invalid value: {\"b\":1}: must not have unknown fields", "a default that would be pruned"},
		{"{type: object, default: {}, required: [a], properties: {a: {type: string}}}", "default.a: Required value", "a default without a required member"},
		{"{type: array, items: {type: integer, minimum: 1, default: 0}}", "items.default: Invalid value: 0", "an invalid default of items"},
		{"{type: object, additionalProperties: {type: integer, default: x}}", "", "a default below additionalProperties is not validated"},
		{"{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, default: {name: n, unknown: x}}}}", "", "a default in the metadata of an embedded object"},
		{"{type: object, default: {kind: K}, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}", "default.apiVersion: Required value", "an embedded object without apiVersion"},
	} {
		crd, err := schema.FromCRD(crdOf(t, c.schema))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		got := texts(ValidateDefaults(crd, nil))
		const at = "spec.validation.openAPIV3Schema.properties[spec]."
		if c.want == "" && got != "" || !strings.HasPrefix(got, at+c.want) && c.want != "" {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

// TestErrorPathsBelowPart: details of errors in a status that is written alone begin at the status.
func TestErrorPathsBelowPart(t *testing.T) {
	typ := typeOf(t, "{type: object, properties: {num: {type: integer, maximum: 3}}}")
	errs := Validate(typ, parse(t, thing+"{num: 9}}"), Options{Below: "spec"})
	errs = append(errs, Validate(typ, parse(t, thing+"{num: 1.5}}"), Options{Below: "spec"})...)
	errs = append(errs, Validate(typ, parse(t, thing+"x}"), Options{Below: "spec"})...)
	const want = `spec.num: Invalid value: 9: num in body should be less than or equal to 3` + "\n" +
		`spec.num: Invalid value: "number": num in body must be of type integer: "number"` + "\n" + `spec: Invalid value: "": Checked value must be of type integer (default format) in num` + "\n" +
		`spec: Invalid value: "string":  in body must be of type object: "string"`
	if got := texts(errs); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Details of errors in members that the schema of the part does not name begin with a dot, as
// kube-apiserver 1.36.3 prints them.
func TestErrorPathsInMapBelowPart(t *testing.T) {
	typ := typeOf(t, "{type: object, additionalProperties: {type: object, properties: {num: {type: integer}, text: {type: string, not: {pattern: a}}}}}")
	errs := Validate(typ, parse(t, thing+"{x: 1}}"), Options{Below: "spec"})
	errs = append(errs, Validate(typ, parse(t, thing+"{x: {text: a, num: 1.5}}}"), Options{Below: "spec"})...)
	const want = `spec.x: Invalid value: "integer": .x in body must be of type object: "integer"` + "\n" +
		`spec.x.num: Invalid value: "number": .x.num in body must be of type integer: "number"` + "\n" +
		`spec: Invalid value: "": Checked value must be of type integer (default format) in .x.num` + "\n" +
		`spec: Invalid value: "": ".x.text" must not validate the schema (not)`
	if got := texts(errs); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEmbeddedMetadata(t *testing.T) {
	typ := typeOf(t, "{type: object, additionalProperties: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}")
	errs := Validate(typ, parse(t, thing+"{k: {apiVersion: v1, kind: K, metadata: {name: A}}}}"), Options{
		Metadata: func(m document.Value) []schema.FieldError {
			return []schema.FieldError{{Type: schema.ErrorInvalid, Path: document.Keys("name"), BadValue: m.Get("name"), Detail: "must be lower case"}}
		},
	})
	if got := texts(errs); got != `spec[k].metadata.name: Invalid value: "A": must be lower case` {
		t.Error(got)
	}
	if p := errs[0].Path.String(); p != ".spec.k.metadata.name" {
		t.Errorf("the path is %s", p)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format      string
		good, wrong []string
	}{
		{"bsonobjectid", []string{"507f1f77bcf86cd799439011"}, []string{"507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"}},
		{"uri", []string{"https://a.b/c?d", "/path"}, []string{"a b", "path"}},
		{"email", []string{"a@b", "A B <a.b@c.d>"}, []string{"a", "@b", "a@", "a b@c"}},
		{"hostname", []string{"a.example.com", "a", strings.Repeat(strings.Repeat("a", 63)+".", 3) + strings.Repeat("a", 63)}, []string{"-a", "a..b", strings.Repeat("a", 300)}},
		{"ipv4", []string{"10.0.0.1", "010.0.0.1", "::ffff:01.2.3.4"}, []string{"10.0.0", "10.0.0.256", "::1", "10.0.0.-1"}},
		{"ipv6", []string{"::1", "2001:db8::1"}, []string{"10.0.0.1", "fe80::1%eth0", ":"}},
		{"cidr", []string{"10.0.0.0/8", "::/0"}, []string{"10.0.0.0", "10.0.0.0/33", "10.0.0.0/+8"}},
		{"mac", []string{"00:00:5e:00:53:01", "0000.5e00.5301", "02-00-5E-10-00-00-00-01", "0123456789ab", "4111111111111111"}, []string{"", "01234567", "0123456789abcd", "00:00:5e:00:53", "00:00:5e:00:53:0g"}},
		{"uuid", []string{"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"}, []string{"123e4567-e89b-12d3-a456-42661417400", "12-3e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400g"}},
		{"uuid3", []string{"123e4567-e89b-32d3-a456-426614174000"}, []string{"123e4567-e89b-42d3-a456-426614174000"}},
		{"uuid4", []string{"123e4567-e89b-42d3-a456-426614174000"}, []string{"123e4567-e89b-42d3-c456-426614174000"}},
		{"uuid5", []string{"123e4567-e89b-52d3-b456-426614174000"}, []string{"123e4567-e89b-42d3-b456-426614174000"}},
		{"isbn", []string{"0321751043", "978-0321751041"}, []string{"0321751044", "978-0321751042"}},
		{"isbn10", []string{"080442957X"}, []string{"0804429570", "978-0321751041", "030640615\u0663"}},
		{"isbn13", []string{"978 0321751041"}, []string{"0321751043"}},
		{"creditcard", []string{"4111 1111 1111 1111", "378282246310005"}, []string{"4111 1111 1111 1112", "1"}},
		{"ssn", []string{"123-45-6789"}, []string{"123456789", "123-45-678a"}},
		{"hexcolor", []string{"#fff", "A0B1C2"}, []string{"#ff", "#ggg"}},
		{"rgbcolor", []string{"rgb(0, 255,7)"}, []string{"rgb(0,256,7)", "rgb(0,0)"}},
		{"byte", []string{"YWI="}, []string{"", "YWI", "YW\nI="}},
		{"password", []string{"", "x"}, nil},
		{"date", []string{"2020-02-29"}, []string{"2021-02-29", "2020-2-9", "02020-01-01", "2020-01-1"}},
		{"date-time", []string{"2020-01-02T10:00:00Z", "2020-01-02t10:00:00.5+02:00"}, []string{"2020-01-02", "2020-01-02T24:00:00Z", "x"}},
		{"duration", []string{"3s", "1h30m", "22 nanos", "3 weeks", "3000000000 nanos"}, []string{"3", "x", "3 apples"}},
		{"k8s-short-name", []string{"a-b"}, []string{"a.b", "A", "-a", strings.Repeat("a", 64)}},
		{"k8s-long-name", []string{"a-b.c"}, []string{"a..b", "A", strings.Repeat("a", 254)}},
		{"odd", []string{"anything"}, nil},
	} {
		typ := typeOf(t, "{type: string, format: "+c.format+"}")
		check := func(text string) string {
			v := parse(t, thing+"x}").With("spec", document.NewString(text))
			return texts(Validate(typ, v, Options{}))
		}
		for _, s := range c.good {
			if got := check(s); got != "" {
				t.Errorf("%s: %q is refused: %s", c.format, s, got)
			}
		}
		for _, s := range c.wrong {
			if got := check(s); !strings.Contains(got, "must be of type "+c.format) {
				t.Errorf("%s: %q is taken (%s)", c.format, s, got)
			}
		}
	}
}

// FuzzWalks: for any object the functions terminate and do not modify their input, and
// defaulting and pruning are idempotent.
func FuzzWalks(f *testing.F) {
	f.Add([]byte(`{"spec":{"replicas":null,"parts":[{"name":"a"},null,1],"size":[],"foo":{"a":1}}}`))
	f.Add([]byte(`{"spec":{"tags":["a","a"],"nested":{"k":{"y":[1]}},"box":{}}}`))
	typ := widget(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := document.Parse(data, document.Options{})
		if err != nil {
			return
		}
		v, _ := Prune(typ, doc.Root)
		if again, unknown := Prune(typ, v); len(unknown) > 0 || !document.SameNode(again, v) {
			t.Fatalf("pruned again: %v", unknown)
		}
		v = defaulted(Default(typ, DropNulls(typ, v)))
		if again := defaulted(Default(typ, DropNulls(typ, v))); !document.SameNode(again, v) {
			t.Fatalf("defaulted again: %v, before %v", again, v)
		}
		for _, e := range Validate(typ, v, Options{}) {
			if e.Field == "" || e.Type == "" {
				t.Fatalf("an error without a field or a type: %+v", e)
			}
		}
		Validate(typ, v, Options{Old: v})
	})
}

// TestNumbersBeforeRanges: before Kubernetes 1.36, no number is outside the range of its type or format, nor are limits; a
// factor that is not an integer loses its fraction first. The wanted errors are those of kube-apiserver 1.35.4.
func TestNumbersBeforeRanges(t *testing.T) {
	catalog, err := schema.Builtin("1.35")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reason, schema, in, want string }{
		{"a fraction", "{type: integer}", "1.5", `spec: Invalid value: "number": spec in body must be of type integer: "number"`},
		{"a fraction below a limit with a fraction", "{type: integer, minimum: 0.5}", "0.1", `spec: Invalid value: "number": spec in body must be of type integer: "number"
spec: Invalid value: 0.1: spec in body should be greater than or equal to 0.5`},
		{"an integer below such a limit", "{type: integer, minimum: 0.5}", "-1", "spec: Invalid value: -1: spec in body should be greater than or equal to 0"},
		{"an integer and a factor below one", "{type: integer, multipleOf: 0.5}", "3", "spec: Invalid value: 0: factor MultipleOf declared for spec must be positive: 0"},
		{"more than 64 bits", "{type: integer}", "1e300", `spec: Invalid value: "number": spec in body must be of type integer: "number"`},
		{"more than 32 bits", "{type: integer, format: int32}", "3000000000", ""},
		{"more than a float holds", "{type: number, format: float}", "1e300", ""},
	} {
		got := texts(Validate(typeOf(t, c.schema), parse(t, thing+c.in+"}"), Options{Catalog: catalog}))
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.reason, got, c.want)
		}
	}
}
