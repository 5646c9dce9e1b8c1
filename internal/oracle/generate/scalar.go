package generate

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// names are few, so that keys of two objects are often equal.
var names = [...]string{"a", "b", "c", "web", "side", "app", "lab.example.com/x", "tier", "z9"}

// oddTexts are difficult to escape, sort or distinguish.
var oddTexts = [...]string{
	"", "a/b", "a~1b", "~", "$patch", "$setElementOrder/x", "<a>&", "é", "e\u0301", "\u2028", "\x00\x1f", `"\`, "\U0001f600",
	"0", "-1", "01", "k:{", ".", "f:a", " ", "A", "kind", "null",
}

// oddNumbers are spelled differently than in the server's output.
var oddNumbers = [...]string{"2.0", "1e3", "-0", "0.1", "9007199254740993", "1.50", "1e21", "-7", "12345678901234567890"}

// bigNumbers are beyond 2^53, where several integers have the same float64.
var bigNumbers = [...]string{"9007199254740992", "9007199254740993", "9007199254740994", "-9007199254740993", "9223372036854775807", "1e16"}

func (g *Generator) scalar(t *schema.Type) document.Value {
	if t.Validation != nil && len(t.Validation.Enum) > 0 {
		return g.enum(t.Validation.Enum)
	}
	switch t.Scalar {
	case schema.BooleanScalar:
		return document.NewBool(g.chance(2))
	case schema.IntegerScalar:
		if g.odd() {
			return g.number(bigNumbers[g.IntN(len(bigNumbers))])
		}
		return document.NewInt(int64(g.IntN(5 + 2*g.many)))
	case schema.NumberScalar:
		return document.NewFloat(float64(g.IntN(8)) / 2)
	case schema.IntOrStringScalar:
		if g.chance(2) {
			return document.NewInt(int64(g.IntN(5)))
		}
		return document.NewString(itoa(g.IntN(5)*10) + "%")
	case schema.AnyScalar:
		return g.anything()
	}
	switch t.Format {
	case "date-time":
		return document.NewString("2024-01-0" + itoa(1+g.IntN(5)) + "T00:00:00Z")
	case "micro-time":
		return document.NewString("2024-01-01T00:00:00.00000" + itoa(g.IntN(5)) + "Z")
	case "quantity":
		return document.NewString([...]string{"1", "100m", "2Gi", "500Mi", "3"}[g.IntN(5)])
	case "byte":
		return document.NewString([...]string{"", "YQ==", "YmM=", "AAEC"}[g.IntN(4)])
	case "duration":
		return document.NewString(itoa(1+g.IntN(5)) + "s")
	}
	return g.text()
}

// oddValue generates a value that few fields accept, such as null or an empty object.
func (g *Generator) oddValue() document.Value {
	switch g.IntN(7) {
	case 0:
		return document.NewNull()
	case 1:
		return g.number(oddNumbers[g.IntN(len(oddNumbers))])
	case 2:
		return document.NewObject()
	case 3:
		return document.NewList()
	case 4:
		return document.NewList(g.anything(), document.NewNull())
	case 5:
		return document.NewObject().With(g.mapKey(), document.NewNull()).With("b", g.anything())
	}
	return document.NewString(oddTexts[g.IntN(len(oddTexts))])
}

func (g *Generator) number(text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		return document.NewNull()
	}
	return d.Root
}
