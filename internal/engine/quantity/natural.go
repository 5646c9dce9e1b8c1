package quantity

import (
	"cmp"
	"strings"
)

// natural is a natural number as decimal digits without leading zeros, "" for 0: the form
// in which quantities are printed, rounded and compared. The numbers are short, so
// arithmetic on digits is fast enough.
type natural string

func newNatural(digits string) natural { return natural(strings.TrimLeft(digits, "0")) }

// digit returns the i-th digit from the right, counted from 1.
func (n natural) digit(i int) int {
	if i > len(n) {
		return 0
	}
	return int(n[len(n)-i] - '0')
}

func (n natural) cmp(m natural) int {
	return cmp.Or(cmp.Compare(len(n), len(m)), strings.Compare(string(n), string(m)))
}

// shift returns n·10^places.
func (n natural) shift(places int) natural {
	if n == "" {
		return n
	}
	return n + natural(strings.Repeat("0", places))
}

// plus returns n + sign·m; m must not exceed n if sign is -1.
func (n natural) plus(m natural, sign int) natural {
	sum := make([]byte, max(len(n), len(m))+1)
	carry := 0
	for i := 1; i <= len(sum); i++ {
		d := 10 + n.digit(i) + sign*m.digit(i) + carry
		sum[len(sum)-i] = '0' + byte(d%10)
		carry = d/10 - 1
	}
	return newNatural(string(sum))
}

// times1024 returns n·1024.
func (n natural) times1024() natural {
	product := make([]byte, len(n)+4)
	carry := 0
	for i := 1; i <= len(product); i++ {
		d := n.digit(i)*1024 + carry
		product[len(product)-i] = '0' + byte(d%10)
		carry = d / 10
	}
	return newNatural(string(product))
}

// over1024 returns n/1024 and whether it is exact.
func (n natural) over1024() (quotient natural, exact bool) {
	digits := make([]byte, len(n))
	rest := 0
	for i := range digits {
		rest = rest*10 + int(n[i]-'0')
		digits[i] = '0' + byte(rest/1024)
		rest %= 1024
	}
	return newNatural(string(digits)), rest == 0
}
