package serving

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func TestServeAddresses(t *testing.T) {
	for _, c := range []struct {
		ip     string
		secure bool
		want   string
	}{
		{"127.0.0.1", false, "http://127.0.0.1:80"}, {"0.0.0.0", true, "https://127.0.0.1:80"}, {"::1", false, "http://[::1]:80"},
	} {
		a := tcpAddress(c.ip)
		if got := AddressOf(a, c.secure); got != c.want {
			t.Errorf("%s: got %s, want %s", c.ip, got, c.want)
		}
		if got, want := loopback(a), c.ip != "0.0.0.0"; got != want {
			t.Errorf("%s: reached by this machine only: %v", c.ip, got)
		}
		if hosts := fmt.Sprint(hostsOf(a)); !strings.Contains(hosts, "localhost 127.0.0.1 ::1") {
			t.Errorf("%s: certificate for %s", c.ip, hosts)
		}
	}
}

func tcpAddress(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 80} }

// TestAdvertisedAddress: Endpoints have the address of the server, except for loopback, which they must not have.
func TestAdvertisedAddress(t *testing.T) {
	const ipv4, ipv6 = "192.0.2.2", "2001:db8::2"
	for _, tc := range []struct {
		name, listens, flag string
		local               []string // the addresses of this machine in its networks
		want                string
	}{
		{"the address on which it listens", "198.51.100.7:6443", "", []string{ipv4}, "198.51.100.7:6443"},
		{"of IPv6", "[2001:db8::7]:6443", "", []string{ipv4}, "[2001:db8::7]:6443"},
		{"the address of the flag", "127.0.0.1:8001", "198.51.100.7", []string{ipv4}, "198.51.100.7:8001"},
		{"loopback by flag", "198.51.100.7:6443", "127.0.0.1", []string{ipv4}, ""},
		{"loopback is replaced", "127.0.0.1:8001", "", []string{ipv4}, "192.0.2.2:8001"},
		{"that of IPv6, too", "[::1]:8001", "", []string{ipv4}, "192.0.2.2:8001"},
		{"all addresses", "[::]:8001", "", []string{ipv4}, "192.0.2.2:8001"},
		{"IPv4 before IPv6", "[::]:8001", "", []string{ipv4, ipv6}, "192.0.2.2:8001"},
		{"IPv6 alone", "127.0.0.1:8001", "", []string{ipv6}, "[2001:db8::2]:8001"},
		{"no network", "127.0.0.1:8001", "", nil, ""},
		{"a network on loopback", "0.0.0.0:8001", "", []string{"127.0.0.1"}, ""},
	} {
		var o serveOptions
		if tc.flag != "" {
			o.advertise = netip.MustParseAddr(tc.flag)
		}
		local := func(to netip.Addr) netip.Addr {
			for _, address := range tc.local {
				if from := netip.MustParseAddr(address); from.Is4() == to.Is4() {
					return from
				}
			}
			return netip.Addr{}
		}
		at := o.advertised(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(tc.listens)), local)
		if at.IsValid() != (tc.want != "") || at.IsValid() && at.String() != tc.want {
			t.Errorf("%s: got %s, want %q", tc.name, at, tc.want)
		}
	}
}

// TestLocalAddress: packets to loopback come from loopback.
func TestLocalAddress(t *testing.T) {
	loopback := netip.MustParseAddr("127.0.0.1")
	if from := localAddress(loopback); from != loopback {
		t.Errorf("got %s", from)
	}
}

func TestListenSaysWhatToDo(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	used := l.Addr().String()
	for _, c := range []struct{ why, address, want string }{
		{"in use", used, "--listen " + used + ": another program listens on this address; choose another port, or 0 for a free one"},
		{"of another machine", "192.0.2.1:1", "--listen 192.0.2.1:1: this machine does not have the address; use 127.0.0.1"},
		{"no port", "localhost", "--listen localhost: address localhost: missing port in address"},
		{"no such port", "127.0.0.1:http8", "--listen 127.0.0.1:http8: lookup tcp/http8: unknown port"},
	} {
		if _, err := ListenOn(t.Context(), "--listen", c.address); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.why, err, c.want)
		}
	}
}
