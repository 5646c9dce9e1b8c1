package reference

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/patchlab-dev/patchlab/schema"
)

// lookup provides patchlab's types to strategicpatch, which otherwise reads the tags of Go
// structs. With listTypes it uses list types, and unknown fields are maps that merge or
// lists that are replaced.
type lookup struct {
	t         *schema.Type
	listTypes bool
}

// PatchMeta returns the schema of an object of type t for callers of strategicpatch;
// listTypes is as in patch.Options.
func PatchMeta(t *schema.Type, listTypes bool) strategicpatch.LookupPatchMeta {
	return lookup{t, listTypes}
}

// Name returns the type's name for messages.
func (l lookup) Name() string {
	if l.t == nil {
		return ""
	}
	return l.t.Name
}

// LookupPatchMetadataForStruct returns the schema of a map field.
func (l lookup) LookupPatchMetadataForStruct(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	if l.listTypes {
		var meta strategicpatch.PatchMeta
		sub := l.member(key)
		if sub != nil && sub.Map != nil && sub.Map.Atomic {
			meta.SetPatchStrategies([]string{"replace"})
		}
		return lookup{sub, true}, meta, nil
	}
	f, err := l.field(key)
	if err != nil {
		return nil, strategicpatch.PatchMeta{}, err
	}
	return lookup{t: f.Type}, metaOf(f), nil
}

// LookupPatchMetadataForSlice returns the schema of a list field.
func (l lookup) LookupPatchMetadataForSlice(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	if l.listTypes {
		var meta strategicpatch.PatchMeta
		sub := l.member(key)
		if sub == nil || sub.List == nil {
			return lookup{nil, true}, meta, nil
		}
		if sub.List.Kind != schema.AtomicList {
			meta.SetPatchStrategies([]string{"merge"})
		}
		if len(sub.List.Keys) == 1 {
			meta.SetPatchMergeKey(sub.List.Keys[0].Name)
		}
		return lookup{sub.List.Elem, true}, meta, nil
	}
	f, err := l.field(key)
	if err != nil {
		return nil, strategicpatch.PatchMeta{}, err
	}
	if f.Type == nil || f.Type.List == nil {
		return nil, strategicpatch.PatchMeta{}, fmt.Errorf("the field %q is not a list", key)
	}
	elem := f.Type.List.Elem
	if elem != nil && elem.List != nil && elem.Map == nil && elem.Scalar == schema.NoScalar {
		return nil, strategicpatch.PatchMeta{}, errors.New("a list of lists")
	}
	return lookup{t: elem}, metaOf(f), nil
}

func (l lookup) member(key string) *schema.Type {
	if l.t == nil {
		return nil
	}
	return l.t.Map.Member(key)
}

func (l lookup) field(key string) (*schema.Field, error) {
	if l.t == nil || l.t.Map == nil || len(l.t.Map.Fields) == 0 {
		return nil, fmt.Errorf("no struct that could have a field %q", key)
	}
	if f := l.t.Map.Field(key); f != nil {
		return f, nil
	}
	for i := range l.t.Map.Fields {
		if strings.EqualFold(l.t.Map.Fields[i].Name, key) {
			return &l.t.Map.Fields[i], nil
		}
	}
	return nil, fmt.Errorf("unable to find api field %q in %s", key, l.t.Name)
}

func metaOf(f *schema.Field) strategicpatch.PatchMeta {
	var meta strategicpatch.PatchMeta
	if f.Strategy != 0 {
		meta.SetPatchStrategies(strings.Split(f.Strategy.String(), ","))
	}
	meta.SetPatchMergeKey(f.MergeKey)
	return meta
}
