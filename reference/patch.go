package reference

import (
	"errors"
	"fmt"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// Patch is a patch.Engine based on gopkg.in/evanphx/json-patch.v4 and apimachinery's
// strategicpatch and jsonmergepatch, in the versions that kube-apiserver and kubectl 1.36
// use. (json-patch v5 differs from them; for example, it refuses to replace a missing key.)
// It does not report decisions. The zero value is ready to use.
type Patch struct{}

var _ patch.Engine = Patch{}

// refusal converts an error of a library to a *patch.Error.
func refusal(t patch.Type, cause, err error) error {
	return &patch.Error{Type: t, Operation: -1, Reason: err.Error(), Err: cause}
}

// guard converts a panic of a library to the internal error that a server returns.
func guard(t patch.Type, err *error) {
	if p := recover(); p != nil {
		*err = refusal(t, patch.ErrInternal, fmt.Errorf("the library panics: %v", p))
	}
}

// parse parses the output of a library.
func parse(t patch.Type, data []byte, err, cause error) (document.Value, error) {
	if err != nil {
		return document.Value{}, refusal(t, cause, err)
	}
	d, err := document.Parse(data, document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast})
	if err != nil {
		return document.Value{}, refusal(t, patch.ErrInternal, err)
	}
	return d.Root, nil
}

// The library has its limit for copy operations in a global variable, which kube-apiserver sets at startup.
func init() { jsonpatch.AccumulatedCopySizeLimit = patch.DefaultMaxCopyBytes }

// JSON is patch.JSON, except that the limit for copied bytes is always
// patch.DefaultMaxCopyBytes.
func (Patch) JSON(object, change document.Value, o patch.Options) (out document.Value, err error) {
	defer guard(patch.TypeJSON, &err)
	text := change.AppendSource(nil)
	if !o.IgnoreFieldTypes {
		var ops []struct {
			Op    string `json:"op"`
			Path  string `json:"path"`
			From  string `json:"from"`
			Value any    `json:"value"`
		}
		if err := json.Unmarshal(text, &ops); err != nil {
			return out, refusal(patch.TypeJSON, patch.ErrMalformed, err)
		}
	}
	ops, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return out, refusal(patch.TypeJSON, patch.ErrMalformed, err)
	}
	limit := o.MaxOperations
	if limit == 0 {
		limit = patch.DefaultMaxOperations
	}
	if limit > 0 && len(ops) > limit {
		return out, refusal(patch.TypeJSON, patch.ErrTooLarge, fmt.Errorf("%d operations, at most %d are allowed", len(ops), limit))
	}
	data, err := ops.Apply(object.JSON())
	cause := patch.ErrCannotApply
	if errors.Is(err, jsonpatch.ErrTestFailed) {
		cause = patch.ErrTestFailed
	}
	return parse(patch.TypeJSON, data, err, cause)
}

// Merge is patch.Merge.
func (Patch) Merge(object, change document.Value, o patch.Options) (out document.Value, err error) {
	defer guard(patch.TypeMerge, &err)
	if change.Kind() != document.Object {
		return out, refusal(patch.TypeMerge, patch.ErrMalformed, errors.New("the patch is not an object"))
	}
	data, err := jsonpatch.MergePatch(object.JSON(), change.JSON())
	return parse(patch.TypeMerge, data, err, patch.ErrMalformed)
}

// Strategic is patch.Strategic.
func (Patch) Strategic(object, change document.Value, t *schema.Type, o patch.Options) (out document.Value, err error) {
	defer guard(patch.TypeStrategic, &err)
	var live, with map[string]any
	if err := json.Unmarshal(object.JSON(), &live); err != nil {
		return out, refusal(patch.TypeStrategic, patch.ErrCannotApply, err)
	}
	if err := json.Unmarshal(change.AppendSource(nil), &with); err != nil {
		return out, refusal(patch.TypeStrategic, patch.ErrMalformed, err)
	}
	m, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(fitted(live).(map[string]any), with, lookup{t, o.ListTypes})
	if err != nil {
		return out, refusal(patch.TypeStrategic, strategicCause(err), err)
	}
	data, err := json.Marshal(m)
	return parse(patch.TypeStrategic, data, err, patch.ErrInternal)
}

// fitted reallocates all lists in v without spare capacity. The library appends to lists of
// the live object, and for a list with duplicate scalars the result depends on whether
// append reallocates. For an object from storage it always does.
func fitted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, val := range v {
			if list, ok := val.([]any); ok {
				v[key] = slices.Clip(list)
			}
			fitted(val)
		}
	case []any:
		for i, item := range v {
			if list, ok := item.([]any); ok {
				v[i] = slices.Clip(list)
			}
			fitted(item)
		}
	}
	return v
}

// strategicCause maps errors like kube-apiserver.
func strategicCause(err error) error {
	switch {
	case errors.Is(err, mergepatch.ErrBadJSONDoc), errors.Is(err, mergepatch.ErrBadPatchFormatForPrimitiveList),
		errors.Is(err, mergepatch.ErrBadPatchFormatForRetainKeys), errors.Is(err, mergepatch.ErrBadPatchFormatForSetElementOrderList):
		return patch.ErrMalformed
	case errors.Is(err, mergepatch.ErrNoListOfLists), errors.Is(err, mergepatch.ErrPatchContentNotMatchRetainKeys):
		return patch.ErrCannotApply
	case mergepatch.IsPreconditionFailed(err):
		return patch.ErrPrecondition
	case mergepatch.IsConflict(err):
		return patch.ErrConflict
	}
	return patch.ErrInternal
}

// CreateMerge is patch.CreateMerge.
func (Patch) CreateMerge(from, to document.Value, o patch.Options) (out document.Value, err error) {
	defer guard(patch.TypeMerge, &err)
	data, err := jsonpatch.CreateMergePatch(from.JSON(), to.JSON())
	return parse(patch.TypeMerge, data, err, patch.ErrUnsupported)
}

// CreateStrategic is patch.CreateStrategic.
func (Patch) CreateStrategic(from, to document.Value, t *schema.Type, o patch.Options) (out document.Value, err error) {
	defer guard(patch.TypeStrategic, &err)
	data, err := strategicpatch.CreateTwoWayMergePatchUsingLookupPatchMeta(from.JSON(), to.JSON(), lookup{t, o.ListTypes})
	if err != nil {
		return out, refusal(patch.TypeStrategic, strategicCause(err), err)
	}
	return parse(patch.TypeStrategic, data, nil, nil)
}

// ThreeWayMerge is patch.ThreeWayMerge.
func (Patch) ThreeWayMerge(original, modified, current document.Value, o patch.ThreeWayOptions) (out document.Value, err error) {
	defer guard(patch.TypeMerge, &err)
	var must []mergepatch.PreconditionFunc
	if !o.AllowIdentityChange {
		must = []mergepatch.PreconditionFunc{mergepatch.RequireKeyUnchanged("apiVersion"),
			mergepatch.RequireKeyUnchanged("kind"), mergepatch.RequireMetadataKeyUnchanged("name")}
	}
	data, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original.JSON(), modified.JSON(), current.JSON(), must...)
	cause := patch.ErrPrecondition // the library has it only in the text
	if err != nil && mergepatch.IsConflict(err) {
		cause = patch.ErrConflict
	}
	return parse(patch.TypeMerge, data, err, cause)
}

// ThreeWayStrategic is patch.ThreeWayStrategic.
func (Patch) ThreeWayStrategic(original, modified, current document.Value, t *schema.Type, o patch.ThreeWayOptions) (out document.Value, err error) {
	defer guard(patch.TypeStrategic, &err)
	data, err := strategicpatch.CreateThreeWayMergePatch(original.JSON(), modified.JSON(), current.JSON(), lookup{t, o.ListTypes}, !o.RefuseConflicts)
	if err != nil {
		return out, refusal(patch.TypeStrategic, strategicCause(err), err)
	}
	return parse(patch.TypeStrategic, data, nil, nil)
}

// Conflicts reports whether two strategic merge patches for one object set a field to
// different values (strategicpatch.MergingMapsHaveConflicts).
func (Patch) Conflicts(a, b document.Value, t *schema.Type, o patch.Options) (conflict bool, err error) {
	defer guard(patch.TypeStrategic, &err)
	var left, right map[string]any
	if err := json.Unmarshal(a.JSON(), &left); err != nil {
		return false, refusal(patch.TypeStrategic, patch.ErrMalformed, err)
	}
	if err := json.Unmarshal(b.JSON(), &right); err != nil {
		return false, refusal(patch.TypeStrategic, patch.ErrMalformed, err)
	}
	if conflict, err = strategicpatch.MergingMapsHaveConflicts(left, right, lookup{t, o.ListTypes}); err != nil {
		return false, refusal(patch.TypeStrategic, strategicCause(err), err)
	}
	return conflict, nil
}
