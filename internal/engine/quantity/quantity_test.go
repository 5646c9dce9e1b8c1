package quantity

import (
	"errors"
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

func TestCanonical(t *testing.T) {
	cases := []struct{ in, want, rounded, reason string }{
		{"0", "0", "0", "zero has one form"},
		{"0Mi", "0", "0", "zero has no suffix"},
		{"1000m", "1", "1", "factors of 1000 become a suffix"},
		{"1Gi", "1Gi", "1Gi", "already canonical"},
		{"1024Mi", "1Gi", "1Gi", "factors of 1024 become a suffix"},
		{"1536Mi", "1536Mi", "1536Mi", "1.5Gi has a fraction"},
		{"1.5Gi", "1536Mi", "1536Mi", "no fractions"},
		{"0.5", "500m", "500m", "no fractions"},
		{"1.500", "1.500", "1.500", "kube-apiserver keeps a multiple of three decimals"},
		{"010", "010", "010", "kube-apiserver keeps leading zeros"},
		{"39.", "39.", "39.", "a point without decimals is kept"},
		{"1e3", "1e3", "1e3", "an exponent remains an exponent"},
		{"1E3", "1E3", "1E3", "an exponent keeps its letter"},
		{"12e4", "120e3", "120e3", "exponents are multiples of three"},
		{"1n", "1n", "1m", "rounding up to thousandths"},
		{"-1n", "-1n", "-1m", "rounding away from zero"},
		{"1234567n", "1234567n", "2m", "rounding up to thousandths"},
		{"0.0000000001", "1n", "1m", "the smallest unit is a billionth"},
		{"8Ei", "9223372036854775807", "9223372036854775807", "binary suffixes are limited to int64"},
		{"1000E", "1", "1", "kube-apiserver writes no suffix above E"},
		{"0.5Ki", "512", "512", "a binary quantity below 1024 has a decimal form"},
		{"0.1Ki", "102400m", "102400m", "a fraction has a decimal form"},
		{"+", "0", "0", "a sign alone is 0"},
		{"+8794304080Ki", "8794304080Ki", "8794304080Ki", "a multiple of eight is written anew, also where an int has 32 bits"},
	}
	for _, c := range cases {
		for round, want := range map[bool]string{false: c.want, true: c.rounded} {
			if got, err := Canonical(c.in, round); err != nil || got != want {
				t.Errorf("Canonical(%q, %v) = %q, %v; want %q: %s", c.in, round, got, err, want, c.reason)
			}
		}
	}
	for _, bad := range []string{"", "x", "1x", "1.2.3", "Ki1", "1 ", "e-12", "1e", "+Ei", "1K", "1mi"} {
		if got, err := Canonical(bad, false); !errors.Is(err, errSyntax) {
			t.Errorf("Canonical(%q) = %q, %v; want errSyntax", bad, got, err)
		}
	}
}

func TestAdd(t *testing.T) {
	cases := []struct{ a, b, want, reason string }{
		{"100m", "1", "1100m", "one suffix"},
		{"0", "1Gi", "1Gi", "zero has the form of the other summand"},
		{"1Gi", "1M", "1074741824", "the sum has the form of the first summand if possible"},
		{"1", "1Gi", "1073741825", "the sum has the form of the first summand"},
	}
	for _, c := range cases {
		a, _ := Parse(c.a)
		b, _ := Parse(c.b)
		if got := a.Add(b).String(); got != c.want {
			t.Errorf("%s + %s = %s, want %s: %s", c.a, c.b, got, c.want, c.reason)
		}
		if b.IsZero() != (b.Cmp(Quantity{}) == 0) || a.Cmp(b) != -b.Cmp(a) {
			t.Errorf("Cmp(%s, %s) is not antisymmetric", c.a, c.b)
		}
	}
}

// TestQuantitiesAgreeWithApimachinery compares random quantities, their sums and their order with those of
// apimachinery's package resource.
func TestQuantitiesAgreeWithApimachinery(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	parsed := 0
	for range 30000 {
		a, b := drawn(r), drawn(r)
		x, errX := Parse(a)
		wantX, wantErr := resource.ParseQuantity(a)
		if (errX == nil) != (wantErr == nil) {
			t.Fatalf("Parse(%q): %v, the API server says %v", a, errX, wantErr)
		}
		y, errY := Parse(b)
		if errX != nil || errY != nil {
			continue
		}
		parsed++
		if got, want := x.String(), wantX.String(); got != want {
			t.Fatalf("%q is written %s, by the API server %s", a, got, want)
		}
		rounded := wantX.DeepCopy()
		rounded.RoundUp(resource.Milli)
		if got, want := x.RoundUp(milli).String(), rounded.String(); got != want {
			t.Fatalf("%q is rounded to %s, by the API server to %s", a, got, want)
		}
		wantY := resource.MustParse(b)
		sum := wantX.DeepCopy()
		sum.Add(wantY)
		if got, want := x.Add(y).String(), sum.String(); got != want {
			t.Fatalf("%q + %q = %s, the API server says %s", a, b, got, want)
		}
		if got, want := x.Cmp(y), wantX.Cmp(wantY); got != want {
			t.Fatalf("%q against %q: %d, the API server says %d", a, b, got, want)
		}
	}
	if parsed < 10000 {
		t.Errorf("only %d pairs are quantities", parsed)
	}
}

// drawn generates a text that is nearly always a quantity.
func drawn(r *rand.Rand) string {
	suffixes := []string{"", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e+9", "e-12", "x"}
	digits := func(most int) string {
		b := make([]byte, r.IntN(most))
		for i := range b {
			b[i] = "00000123456789"[r.IntN(14)]
		}
		return string(b)
	}
	s := []string{"", "", "", "-", "+"}[r.IntN(5)] + []string{"", "1", "512", "1024", "9", "8000"}[r.IntN(6)] + digits(r.IntN(24)+1)
	if r.IntN(3) == 0 {
		s += "." + digits(r.IntN(14)+1)
	}
	return s + suffixes[r.IntN(len(suffixes))]
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"1.5Gi", "100m", "1e-9", "-0.1Ki", "1E99999999", "9999999999999999999Ei"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := Canonical(s, true)
		if err != nil || len(s) > 100 {
			return
		}
		// Quantities beyond E lose their suffix; every other form is canonical.
		if q, _ := Parse(s); q.exponent > 18 || q.format == decimalExponent {
			return
		}
		if twice, err := Canonical(once, true); err != nil || len(twice) > len(once) {
			t.Errorf("%q gives %q gives %q, %v", s, once, twice, err)
		}
	})
}
