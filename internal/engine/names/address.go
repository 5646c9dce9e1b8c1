package names

import "strings"

// WithoutLeadingZeros returns the text of an IP address without leading zeros in its parts, with
// which older fields may have it. Other texts stay invalid addresses.
func WithoutLeadingZeros(address string) string {
	if !strings.Contains(address, "0") {
		return address
	}
	var b strings.Builder
	for start := 0; start < len(address); {
		end := start
		for end < len(address) && address[end] != '.' && address[end] != ':' {
			end++
		}
		part := address[start:end]
		for len(part) > 1 && part[0] == '0' {
			part = part[1:]
		}
		b.WriteString(part)
		if end < len(address) {
			b.WriteByte(address[end])
		}
		start = end + 1
	}
	return b.String()
}
