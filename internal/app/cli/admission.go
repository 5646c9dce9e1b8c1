package cli

import (
	"context"

	"github.com/patchlab-dev/patchlab/cluster"
)

// admissionProgram is patchlab with admission. It is a separate program because the libraries
// take longer to start than patchlab does (doc/admission.md has the figures).
const (
	admissionProgram = "patchlab-admission"
	admissionPackage = "github.com/patchlab-dev/patchlab/admission/cmd/" + admissionProgram
)

// admit adds admission to the configuration of a cluster. If only another program has
// admission, it executes that program, which does all the work, and done is true.
func (a *App) admit(ctx context.Context, config *cluster.Config, roles bool) (done bool, err error) {
	if a.Admission != nil {
		return false, a.Admission(config, roles)
	}
	if program, ok := findProgram(admissionProgram); ok {
		return true, a.runWith(ctx, program)
	}
	return false, nil
}

// noteNoAdmission prints what a server of this program does not support. suppress says how to
// suppress the note, "" if nothing does.
func (a *App) noteNoAdmission(suppress string) {
	if a.Admission == nil {
		a.note("note: CEL rules, admission policies and webhooks are disabled, because the program " + admissionProgram +
			" was found neither in the directory of patchlab nor on the PATH" + suppress + "\n" + howToInstall(admissionPackage))
	}
}
