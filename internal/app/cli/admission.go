package cli

import (
	"context"

	"github.com/patchlab-dev/patchlab/cluster"
)

// admissionProgram is patchlab with admission linked into it. It is a program of
// its own because the libraries take longer to start than patchlab does
// (doc/admission.md has the figures).
const admissionProgram = "patchlab-admission"

// admit adds admission to the configuration of a cluster that this program serves.
// Where another program has it, that one does all the work, and done is true.
func (a *App) admit(ctx context.Context, config *cluster.Config) (done bool, err error) {
	if a.Admission != nil {
		return false, a.Admission(config)
	}
	if program, ok := findProgram(admissionProgram); ok {
		return true, a.runWith(ctx, program)
	}
	return false, nil
}

// noteNoAdmission says what a server of this program leaves out.
func (a *App) noteNoAdmission() {
	if a.Admission == nil {
		a.note("note: CEL rules, admission policies and webhooks are not run: they need the program " + admissionProgram +
			", which is neither beside patchlab nor on the PATH (--admission=false serves without them and without this note)")
	}
}
