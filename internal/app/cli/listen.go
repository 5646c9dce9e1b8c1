package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listenOn listens on an address that a flag names.
func listenOn(ctx context.Context, flag, address string) (net.Listener, error) {
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
