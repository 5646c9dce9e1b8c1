// Command notice writes the file NOTICE of the repository (see package notice).
package main

import (
	"fmt"
	"os"

	"github.com/patchlab-dev/patchlab/test/notice"
)

func main() {
	if err := write("..", "../NOTICE"); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func write(repository, file string) error {
	all, err := notice.Components(repository)
	if err != nil {
		return err
	}
	text, err := notice.Write(all)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
