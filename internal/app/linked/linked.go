// Package linked holds the common optional parts of the programs that include more than
// patchlab.
package linked

import (
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/reference"
)

// Reference returns the reference engine.
func Reference() *verify.Reference {
	return &verify.Reference{
		Merge: func() fieldmanager.Engine { return reference.Merger() },
		Patch: reference.Patch{},
	}
}
