package inputs

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/schema"
)

// NewLab returns a Lab that evaluates CEL rules if this program can.
func NewLab(a *program.App, o patchlab.Options) (*patchlab.Lab, error) {
	if a.Admission != nil {
		var config cluster.Config
		if err := a.Admission(&config, program.AdmissionOptions{}); err != nil {
			return nil, err
		}
		o.Rules = config.Rules
	}
	o.Now, o.UID = a.Now, a.UID
	return patchlab.New(o)
}

// HeldOutput keeps what has been printed on standard error until it is clear which program does
// the work, so that another one can begin anew.
type HeldOutput struct {
	app     *program.App
	program string
	errs    io.Writer
	text    bytes.Buffer
}

// HoldForRules begins to hold output, unless this program evaluates rules itself or no other is
// installed; the result is nil then.
func HoldForRules(a *program.App) *HeldOutput {
	found, ok := program.Find(program.Admission)
	if a.Admission != nil || !ok {
		return nil
	}
	h := &HeldOutput{app: a, program: found, errs: a.Err}
	a.Err = &h.text
	return h
}

// Release prints what was held, and what is printed from now on at once. It may be called again.
func (h *HeldOutput) Release() {
	if h != nil {
		h.app.Err = h.errs
		_, _ = h.text.WriteTo(h.errs)
	}
}

// HandOverFor executes the other program if a kind of the changes has rules. done is true if that
// program has done all the work.
func (h *HeldOutput) HandOverFor(ctx context.Context, kinds *schema.Registry, live, changes Documents) (done bool, err error) {
	if h == nil || !haveRules(kinds, live, changes) {
		return false, nil
	}
	return true, h.handOver(ctx)
}

// handOver executes the other program, which prints the same again.
func (h *HeldOutput) handOver(ctx context.Context) error {
	h.text.Reset()
	h.app.Err, h.app.Notes = h.errs, nil
	return h.app.RunWith(ctx, h.program)
}

// haveRules reports whether a kind of the changes has CEL rules. A patch without a kind may
// change any live object.
func haveRules(kinds *schema.Registry, live, changes Documents) bool {
	ruled := func(o manifest.Object) bool {
		k, known := kinds.Of(o.Value)
		return known && k.Rules > 0
	}
	all := changes.Objects()
	if slices.ContainsFunc(all, func(o manifest.Object) bool { return o.Kind() == "" }) {
		all = append(all, live.Objects()...)
	}
	return slices.ContainsFunc(all, ruled)
}
