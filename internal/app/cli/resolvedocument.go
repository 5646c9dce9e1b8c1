package cli

import (
	"cmp"
	"errors"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
)

// json prints the conflicts and their selected resolutions as documents.
func (r *resolving) json() error {
	var out []document.Value
	for i := range r.resolved {
		v, err := results.AsDocument(r.document(&r.resolved[i]))
		if err != nil {
			return err
		}
		out = append(out, v)
	}
	r.app.Print(string(results.Encode("json", out)))
	return nil
}

// resolutionDocument is the output document for a manifest's conflicts.
type resolutionDocument struct {
	APIVersion   string             `json:"apiVersion"`
	Kind         string             `json:"kind"`
	Target       patchlab.Target    `json:"target"`
	FieldManager string             `json:"fieldManager"`
	Conflicts    []conflictDocument `json:"conflicts"`
	Ways         []wayDocument      `json:"ways"`
}

type conflictDocument struct {
	patchlab.Conflict
	Position document.Position `json:"position,omitzero"`
	// Ways are the previews by the name of the resolution, or the selected one only.
	Ways map[string]previewDocument `json:"ways"`
}

type previewDocument struct {
	Value  document.Value       `json:"value,omitzero"`
	Owners []fieldmanager.Owner `json:"owners"`
}

// wayDocument is the resolution of all conflicts in one way; "chosen" is the one that the
// flags select.
type wayDocument struct {
	Name     string         `json:"name"`
	Force    bool           `json:"force"`
	Command  string         `json:"command,omitempty"`
	Manifest document.Value `json:"manifest,omitzero"`
	// Reason describes why the resolution is not possible.
	Reason string `json:"reason,omitempty"`
}

func (r *resolving) document(one *resolved) resolutionDocument {
	d := resolutionDocument{APIVersion: results.OwnVersion, Kind: "Resolution", Target: one.Target, FieldManager: one.FieldManager,
		Conflicts: []conflictDocument{}, Ways: []wayDocument{}}
	if len(one.Conflicts) == 0 {
		return d
	}
	ways, hidden := r.ways(one), r.masks(one.Resolution)
	for i, c := range one.Conflicts {
		entry := conflictDocument{Conflict: c, Position: one.Fields[i].Position, Ways: previewsOf(c, ways, hidden)}
		if hidden {
			entry.Live, entry.Wanted = results.MaskPair(c.Path, c.Live, c.Wanted)
		}
		d.Conflicts = append(d.Conflicts, entry)
	}
	for _, w := range ways {
		d.Ways = append(d.Ways, r.describeWay(w))
	}
	return d
}

// previewsOf returns what each way makes of the field of a conflict. hidden masks its values.
func previewsOf(c patchlab.Conflict, ways []way, hidden bool) map[string]previewDocument {
	previews := map[string]previewDocument{}
	for _, w := range ways {
		if w.why != nil || w.name == explain.AdoptValue && !c.Live.Exists() {
			continue
		}
		v, owners := w.result.Preview(c)
		if hidden {
			v = results.MaskAt(c.Path, v)
		}
		p := previewDocument{Value: v, Owners: []fieldmanager.Owner{}}
		for _, o := range owners {
			p.Owners = append(p.Owners, o.Owner)
		}
		previews[w.name] = p
	}
	return previews
}

// describeWay returns the document of a way, with the manifest that it results in or why it is not possible.
func (r *resolving) describeWay(w way) wayDocument {
	d := wayDocument{Name: w.name}
	if w.why != nil {
		d.Reason = plainWay(w.why)
		var refused *patchlab.Error
		if errors.As(w.why, &refused) && !r.o.showSecrets {
			d.Reason = results.MaskConflicts(refused).Error()
		}
		return d
	}
	namespace := cmp.Or(r.o.apply.Namespace, missingNamespace(w.result))
	d.Force, d.Command, d.Manifest = w.result.Force, r.command(w.result, w.result.Force, namespace, fromStdin), w.result.Config
	if results.IsSecret(d.Manifest) && !r.o.showSecrets {
		d.Manifest, _ = results.MaskSecrets(d.Manifest, d.Manifest)
	}
	return d
}
