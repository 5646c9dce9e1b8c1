package serving

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"syscall"
)

// ListenOn listens on an address that a flag names.
func ListenOn(ctx context.Context, flag, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	var failed *net.OpError
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s: another program listens on this address; choose another port, or 0 for a free one", flag, address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s %s: this machine does not have the address; use 127.0.0.1, or 0.0.0.0 for all addresses", flag, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s %s: permission denied; choose a port above 1023", flag, address)
	case errors.As(err, &failed):
		return nil, fmt.Errorf("%s %s: %w", flag, address, failed.Err)
	}
	return nil, fmt.Errorf("%s %s: %w", flag, address, err)
}

// loopback reports whether an address is reachable only from this machine.
func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostsOf returns the host names with which clients may connect to the server.
func hostsOf(a net.Addr) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil && name != "" {
		hosts = append(hosts, name)
	}
	if tcp, ok := a.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		hosts = append(hosts, tcp.IP.String())
	}
	return hosts
}

// advertised returns the address of the server that is published in the cluster. As in kube-apiserver, it is that of
// this machine in its network if the server listens on loopback or on all addresses; a machine without a network has
// none, because Endpoints must not have a loopback address, and gets the zero AddrPort. local is localAddress.
func (o *serveOptions) advertised(a net.Addr, local func(netip.Addr) netip.Addr) netip.AddrPort {
	listens, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.AddrPort{}
	}
	ip := listens.Addr()
	switch {
	case o.advertise.IsValid():
		ip = o.advertise
	case ip.IsLoopback(), ip.IsUnspecified():
		// No machine has these addresses, which are reserved for documentation: the default route leads to them.
		if ip = local(netip.MustParseAddr("192.0.2.1")); !ip.IsValid() {
			ip = local(netip.MustParseAddr("2001:db8::1"))
		}
	}
	if !ip.IsValid() || ip.IsLoopback() || ip.IsUnspecified() {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(ip, listens.Port())
}

// localAddress returns the address of this machine from which packets to another address are sent; the zero Addr if
// they cannot be. It sends none.
func localAddress(to netip.Addr) netip.Addr {
	route, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(to, 9)))
	if err != nil {
		return netip.Addr{}
	}
	defer route.Close()
	from, err := netip.ParseAddrPort(route.LocalAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return from.Addr()
}

// AddressOf returns the URL of the server on this machine.
func AddressOf(a net.Addr, secure bool) string {
	u := url.URL{Scheme: "http", Host: a.String()}
	if secure {
		u.Scheme = "https"
	}
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		u.Host = fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return u.String()
}
