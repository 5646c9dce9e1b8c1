package program

import (
	"context"

	"github.com/patchlab-dev/patchlab/cluster"
)

// Admission is patchlab with admission. It is a separate program because the libraries
// take longer to start than patchlab does (doc/admission.md has the figures).
const (
	Admission        = "patchlab-admission"
	AdmissionPackage = "github.com/patchlab-dev/patchlab/admission/cmd/" + Admission
)

// Admit adds admission to the configuration of a cluster. If only another program has
// admission, it executes that program, which does all the work, and done is true.
func (a *App) Admit(ctx context.Context, config *cluster.Config, o AdmissionOptions) (done bool, err error) {
	if a.Admission != nil {
		return false, a.Admission(config, o)
	}
	if found, ok := Find(Admission); ok {
		return true, a.RunWith(ctx, found)
	}
	return false, nil
}

// NoteNoAdmission prints what a server of this program does not support. suppress is the advice on how
// to suppress the note, "" if that is not possible.
func (a *App) NoteNoAdmission(suppress string) {
	if a.Admission == nil {
		a.Note("note: CEL rules, admission policies and webhooks are disabled, because the program " + Admission +
			" was found neither in the directory of patchlab nor on the PATH" + suppress + "\n" + HowToInstall(AdmissionPackage))
	}
}
