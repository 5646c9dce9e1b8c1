package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/web"
)

func (a *App) playgroundCommand() *cobra.Command {
	listen := "127.0.0.1:8711"
	c := &cobra.Command{
		Use:   "playground",
		Short: "Serve the playground, a page to try ownership and merging in the browser",
		Long: `Serve the playground: a page in which several field managers change an object,
step by step, and that shows who owns each line, what conflicts and how each kind
of patch merges. All of it runs in the browser; nothing is sent to this server or
any other. The command ends with Ctrl-C.`,
		Example: "  patchlab playground\n  patchlab playground --listen 127.0.0.1:9000",
		Args:    arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			page, err := web.Handler()
			if err != nil {
				return err
			}
			return a.servePage(c.Context(), listen, page)
		},
	}
	c.Flags().StringVar(&listen, "listen", listen, "address to listen on; port 0 chooses a free one")
	return c
}

// servePage serves until the context ends.
func (a *App) servePage(ctx context.Context, address string, page http.Handler) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", address, err)
	}
	if _, err := io.WriteString(a.Out, "The playground is at http://"+l.Addr().String()+"/ (end with Ctrl-C)\n"); err != nil {
		return errors.Join(err, l.Close())
	}
	s := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return s.Close()
	}
}
