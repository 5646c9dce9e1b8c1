// Package quantity parses and prints Kubernetes quantities, such as 100m, 1.5Gi and 2e3.
// The results are identical to those of k8s.io/apimachinery/pkg/api/resource, including its
// peculiarities.
package quantity

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// errSyntax reports that a text is not a quantity.
var errSyntax = errors.New("invalid quantity: expected a number such as 2, 100m, 1.5Gi or 1e3")

type format uint8

const (
	decimalSI       format = iota // 12M
	binarySI                      // 12Mi
	decimalExponent               // 12e6
)

// nano and milli are exponents for RoundUp: billionths and thousandths.
const (
	nano  = -9
	milli = -3
)

// maxDigits is the number of decimal digits that always fit an int64. The API server keeps
// the spelling of shorter quantities that look canonical.
const maxDigits = 18

// Quantity is number·10^exponent and its format. The zero Quantity is 0. Quantities are
// immutable.
type Quantity struct {
	number   natural
	negative bool
	exponent int32 // power of ten
	format   format
	text     string // the original spelling if it is kept, otherwise ""
}

// Parse parses a quantity. An error is errSyntax.
func Parse(s string) (Quantity, error) {
	p, ok := split(s)
	if !ok {
		return Quantity{}, errSyntax
	}
	base, exponent, form, ok := readSuffix(p.suffix)
	if !ok {
		return Quantity{}, errSyntax
	}
	q := Quantity{number: newNatural(p.whole + p.fraction), exponent: -int32(len(p.fraction)), format: form}
	short := false // has the API server's 64-bit form
	if base == 10 {
		q.exponent += exponent
		short = len(p.whole)+len(p.fraction) <= maxDigits && q.exponent >= nano
	} else {
		short = p.fraction == "" && 15-len(p.whole)-int(exponent*3/10)-1 >= 0
	}
	if short && p.looksCanonical(base, q.exponent) {
		q.text = s
	}
	switch {
	case base == 2 && short:
		n, _ := strconv.ParseUint(p.whole, 10, 64)
		q.number = newNatural(strconv.FormatUint(n<<exponent, 10))
	case base == 2:
		for ; exponent > 0; exponent -= 10 {
			q.number = q.number.times1024()
		}
	}
	if !short {
		if !p.digit { // only the 64-bit form accepts a missing number as 0
			return Quantity{}, errSyntax
		}
		q = q.bound()
	}
	q.negative = p.negative
	return q, nil
}

// bound limits a quantity without the 64-bit form to the API server's range: billionths,
// and with a binary suffix at most the maximum int64.
func (q Quantity) bound() Quantity {
	q = q.RoundUp(nano)
	if q.format != binarySI {
		return q
	}
	most := Quantity{number: "9223372036854775807"}
	if q.Cmp(most) > 0 {
		q.number, q.exponent = most.number, 0
	}
	if !q.IsZero() && q.Cmp(Quantity{number: "1"}) < 0 {
		q.format = decimalSI
	}
	return q
}

// parts are the parts of a quantity's text. whole has no leading zeros and is never empty.
type parts struct {
	negative, digit         bool
	whole, fraction, suffix string
}

func split(s string) (p parts, ok bool) {
	if s == "" {
		return p, false
	}
	if s[0] == '-' || s[0] == '+' {
		p.negative = s[0] == '-'
		s = s[1:]
	}
	all := len(s)
	for s != "" && s[0] == '0' {
		s = s[1:]
	}
	p.digit = len(s) < all
	p.whole, s = digits(s)
	p.digit = p.digit || p.whole != ""
	if p.whole == "" {
		p.whole = "0"
	}
	if strings.HasPrefix(s, ".") {
		p.fraction, s = digits(s[1:])
		p.digit = p.digit || p.fraction != ""
	}
	p.suffix = s
	for s != "" && strings.IndexByte("eEinumkKMGTP", s[0]) >= 0 {
		s = s[1:]
	}
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	_, s = digits(s)
	return p, s == ""
}

func digits(s string) (head, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// looksCanonical reports whether the API server keeps the spelling. It depends only on the
// number of digits, so 1.500 and 010 are kept.
func (p parts) looksCanonical(base int, exponent int32) bool {
	if base == 2 { // fits an int64
		number, _ := strconv.ParseInt(p.whole, 10, 64)
		return number%8 != 0
	}
	shifted := p.whole + p.fraction
	return exponent%3 == 0 && !strings.HasSuffix(shifted, "000") && shifted[0] != '0'
}

const (
	decimalSuffixes = "n u m   k M G T P E " // two bytes each, from 10^-9 in steps of three
	binarySuffixes  = "  KiMiGiTiPiEi"       // from 2^0 in steps of ten
)

func readSuffix(s string) (base int, exponent int32, form format, ok bool) {
	switch {
	case len(s) <= 1:
		if i := indexPair(decimalSuffixes, (s + "  ")[:2]); i >= 0 {
			return 10, int32(i*3 - 9), decimalSI, true
		}
	case len(s) == 2 && s[1] == 'i':
		if i := indexPair(binarySuffixes, s); i > 0 {
			return 2, int32(i * 10), binarySI, true
		}
	case s[0] == 'e' || s[0] == 'E':
		n, err := strconv.ParseInt(s[1:], 10, 64)
		return 10, int32(n), decimalExponent, err == nil
	}
	return 0, 0, decimalExponent, false
}

func indexPair(pairs, s string) int {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i:i+2] == s {
			return i / 2
		}
	}
	return -1
}

// IsZero reports whether the quantity is 0.
func (q Quantity) IsZero() bool { return q.number == "" }

// RoundUp rounds away from zero to a multiple of 10^exponent.
func (q Quantity) RoundUp(exponent int32) Quantity {
	if q.IsZero() || q.exponent >= exponent {
		return q
	}
	by := int(exponent) - int(q.exponent)
	q.text, q.exponent = "", exponent
	kept := max(len(q.number)-by, 0)
	number, rest := q.number[:kept], q.number[kept:]
	if newNatural(string(rest)) != "" {
		number = number.plus("1", 1)
	}
	q.number = number
	return q
}

// KeepsText reports whether the API server's parser keeps the text of a quantity in canonical form,
// which it otherwise computes when the quantity is written.
func KeepsText(s string) bool {
	q, err := Parse(s)
	return err != nil || q.text != "" || s == "0"
}

// Int64 returns the quantity rounded to an integer, away from zero. ok is false if the
// integer does not fit an int64.
func (q Quantity) Int64() (int64, bool) {
	if q.exponent > maxDigits {
		return 0, q.IsZero()
	}
	digits := string(q.whole())
	if digits == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(q.minus()+digits, 10, 64)
	return n, err == nil
}

// Wrapped returns the quantity in units of 10^unit, rounded up, as the API server computes
// it: a greater amount than an int64 holds loses its upper bits, and one that was written
// with an exponent is 0.
func (q Quantity) Wrapped(unit int32) int64 {
	q.exponent -= unit
	if _, ok := q.Int64(); !ok && q.exponent > 3 {
		return 0
	}
	var n uint64
	for _, digit := range string(q.whole()) {
		n = n*10 + uint64(digit-'0')
	}
	if q.negative {
		n = -n
	}
	return int64(n)
}

// Add returns the sum in the format of q, or of r if q is 0.
func (q Quantity) Add(r Quantity) Quantity {
	if q.IsZero() {
		r.text = ""
		return r
	}
	q.text = ""
	if r.IsZero() {
		return q
	}
	x, y, exponent := align(q, r)
	q.exponent = exponent
	switch {
	case q.negative == r.negative:
		q.number = x.plus(y, 1)
	case x.cmp(y) >= 0:
		q.number = x.plus(y, -1)
	default:
		q.number, q.negative = y.plus(x, -1), r.negative
	}
	return q
}

// Sub returns the difference in the format of q, or of r if q is 0.
func (q Quantity) Sub(r Quantity) Quantity {
	r.negative = !r.negative
	return q.Add(r)
}

// Cmp compares two quantities by value: it returns -1 if q is less than r, 0 if they are
// equal, and 1 if q is greater.
func (q Quantity) Cmp(r Quantity) int {
	if q.sign() != r.sign() || q.IsZero() {
		return cmp.Compare(q.sign(), r.sign())
	}
	x, y, _ := align(q, r)
	return x.cmp(y) * q.sign()
}

func (q Quantity) sign() int {
	switch {
	case q.IsZero():
		return 0
	case q.negative:
		return -1
	}
	return 1
}

// align converts two numbers to a common exponent. Exponents that differ by more than the
// maximum occur only in malicious input; they are truncated such that the order is
// preserved.
func align(q, r Quantity) (x, y natural, exponent int32) {
	const widest = 4096
	exponent = min(q.exponent, r.exponent)
	up := func(a Quantity) natural { return a.number.shift(min(int(a.exponent)-int(exponent), widest)) }
	return up(q), up(r), exponent
}

// String returns the canonical form: the largest suffix that needs no fraction.
func (q Quantity) String() string {
	switch {
	case q.text != "":
		return q.text
	case q.IsZero():
		return "0"
	case q.format == binarySI && q.RoundUp(0).Cmp(q) == 0 && q.whole().cmp("1024") >= 0:
		return q.minus() + q.binary()
	}
	number := strings.TrimRight(string(q.number), "0")
	exponent := q.exponent + int32(len(q.number)-len(number))
	for exponent%3 != 0 {
		number += "0"
		exponent--
	}
	number = q.minus() + number
	if q.format == decimalExponent {
		if exponent == 0 {
			return number
		}
		return number + "e" + strconv.Itoa(int(exponent))
	}
	i := int(exponent+9) / 3 * 2
	if i < 0 || i >= len(decimalSuffixes) { // beyond E: the API server omits the suffix
		return number
	}
	return number + strings.TrimSpace(decimalSuffixes[i:i+2])
}

// Float returns the nearest float64.
func (q Quantity) Float() float64 {
	if q.IsZero() {
		return 0
	}
	f, _ := strconv.ParseFloat(q.minus()+string(q.number)+"e"+strconv.Itoa(int(q.exponent)), 64)
	return f
}

func (q Quantity) minus() string {
	if q.negative {
		return "-"
	}
	return ""
}

// whole returns the digits of the value without its sign, rounded up to an integer. A positive
// exponent becomes zeros, so callers exclude large ones.
func (q Quantity) whole() natural {
	if q.exponent <= 0 {
		return q.RoundUp(0).number
	}
	return q.number.shift(int(q.exponent))
}

func (q Quantity) binary() string {
	number, step := q.whole(), 0
	for ; ; step++ {
		next, exact := number.over1024()
		if !exact {
			break
		}
		number = next
	}
	if 2*step >= len(binarySuffixes) {
		return string(number)
	}
	return string(number) + strings.TrimSpace(binarySuffixes[2*step:2*step+2])
}

// Canonical returns the canonical form of a quantity's text, rounded up to thousandths if
// round is set. An error is errSyntax.
func Canonical(s string, round bool) (string, error) {
	if plain(s) {
		return s, nil
	}
	q, err := Parse(s)
	if err != nil {
		return "", err
	}
	if round {
		q = q.RoundUp(milli)
	}
	return q.String(), nil
}

// Sign returns -1, 0 or 1 for the text of a negative, zero or positive quantity, and 0 for
// an invalid one.
func Sign(s string) int {
	if plain(s) {
		if s == "0" {
			return 0
		}
		return 1
	}
	q, err := Parse(s)
	if err != nil {
		return 0
	}
	return q.Cmp(Quantity{})
}

// plain is a fast check whether a text is canonical. It may return false for canonical
// text.
func plain(s string) bool {
	whole, suffix := digits(s)
	if whole == "" || len(whole) > 6 || whole[0] == '0' {
		return s == "0"
	}
	switch suffix {
	case "", "m", "k", "M", "G", "T", "P", "E":
		return !strings.HasSuffix(whole, "000")
	case "Ki", "Mi", "Gi":
		number, err := strconv.Atoi(whole)
		return err == nil && number%1024 != 0
	}
	return false
}
