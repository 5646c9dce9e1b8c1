package scenarios

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
)

// openBrowser opens an address in the user's browser.
func openBrowser(ctx context.Context, address string) error {
	commands := [][]string{{"xdg-open"}, {"wslview"}, {"x-www-browser"}}
	switch runtime.GOOS {
	case "darwin":
		commands = [][]string{{"open"}}
	case "windows":
		commands = [][]string{{"rundll32", "url.dll,FileProtocolHandler"}}
	}
	for _, c := range commands {
		if program, err := exec.LookPath(c[0]); err == nil {
			return exec.CommandContext(ctx, program, append(c[1:], address)...).Run()
		}
	}
	return errors.New("no program that opens a browser was found")
}
