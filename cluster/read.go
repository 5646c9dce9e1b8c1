package cluster

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// read returns a stored object as decoded from storage: converted to the version of the kind,
// with defaults that were added since it was written, and without fields that its schema no
// longer has.
func (p *pipeline) read(k *schema.Kind, o fieldmanager.Object) (fieldmanager.Object, *Status) {
	return p.readUpdate(k, o, basis{})
}

// readUpdate is read for an object that was made from the live object of a basis.
func (p *pipeline) readUpdate(k *schema.Kind, o fieldmanager.Object, b basis) (fieldmanager.Object, *Status) {
	if storesBytes && isUnreadable(o.Value) {
		return o, internalError(errUnreadable)
	}
	version := o.Value.Get("apiVersion").StringOr("")
	stored := k
	if version != k.APIVersion() {
		other, ok := p.declared(k, version)
		if !ok && !k.Builtin {
			return o, plainError(&undeclaredError{version})
		}
		if ok {
			stored = other
		}
	}
	var err error
	if k.Builtin {
		if o.Value, err = p.convert(o.Value, k); err != nil {
			return o, plainError(err)
		}
		if o.Value, err = p.fillUpdate(k, o.Value, b); err != nil {
			return o, plainError(err)
		}
		return o, nil
	}
	if o.Value, _, err = p.decodeCustom(stored, o.Value, b.decodedFor(stored), defaults.FromTree); err != nil {
		return o, plainError(err)
	}
	if o.Value, err = p.fillUpdate(stored, o.Value, b); err != nil {
		return o, plainError(err)
	}
	if o.Value, err = p.convert(o.Value, k); err != nil {
		return o, plainError(err)
	}
	return o, nil
}

// errUnreadable is the error for reading an object whose stored value cannot be decoded. It does not quote the value.
var errUnreadable = errors.New("failed to decode the stored object")

// undeclaredError reports that a custom resource is stored in a version that its definition no
// longer declares.
type undeclaredError struct{ apiVersion string }

func (e *undeclaredError) Error() string {
	return "request to convert CR from an invalid group/version: " + e.apiVersion
}

// show returns a stored object as the kind's endpoint serves it.
func (p *pipeline) show(k *schema.Kind, o fieldmanager.Object) (document.Value, *Status) {
	o, st := p.read(k, o)
	return o.Join(), st
}

// stored returns the record of an object: converted to the storage version, without
// resourceVersion and, for a built-in kind, without what its encoding for storage drops. The
// object was made from the live object of b.
func (p *pipeline) stored(k *schema.Kind, o fieldmanager.Object, b basis) (*Record, *Status) {
	if k.Builtin {
		if to, ok := p.builtinStorage(k); ok {
			converted, err := p.convert(o.Value, to)
			if err != nil {
				return nil, plainError(err)
			}
			o.Value = converted
			r := newRecord(o, document.Value{})
			r.decoded = to
			return r, nil
		}
		decoded, err := defaults.DecodeUpdate(k, o.Value, b.storedFor(k), defaults.FromTree)
		if err != nil {
			return newRecord(o, b.decodedFor(k)), nil
		}
		o.Value = decoded.Value
		r := newRecord(o, b.decodedFor(k))
		r.decoded = k
		return r, nil
	}
	if k.Storage {
		return newRecord(o, b.decodedFor(k)), nil
	}
	to, ok := p.storageVersion(k)
	if !ok {
		return newRecord(o, document.Value{}), nil
	}
	value, err := p.convertUnpruned(o.Value, to)
	if err == nil {
		value, _, err = p.decodeCustom(to, value, document.Value{}, defaults.FromTree)
	}
	if err != nil {
		return nil, plainError(err)
	}
	o.Value = value
	return newRecord(o, document.Value{}), nil
}

// builtinStorage returns the kind in the version in which a built-in object is stored, if that is
// another version than the kind's.
func (p *pipeline) builtinStorage(k *schema.Kind) (*schema.Kind, bool) {
	stored := p.strategy(k).StorageVersion
	if stored == "" || stored == k.APIVersion() {
		return nil, false
	}
	group, version, _ := schema.SplitAPIVersion(stored)
	return p.kinds.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: k.Kind})
}

// storageVersion returns the storage version of a custom kind, which need not be served.
func (p *pipeline) storageVersion(k *schema.Kind) (*schema.Kind, bool) {
	crd := p.crdOf(k)
	if crd == nil {
		return nil, false
	}
	for _, other := range crd.Declared {
		if other.Storage {
			return other, true
		}
	}
	return nil, false
}

// declared returns the kind in another apiVersion of its group, served or not.
func (p *pipeline) declared(k *schema.Kind, apiVersion string) (*schema.Kind, bool) {
	if other, ok := p.version(k, apiVersion); ok {
		return other, true
	}
	if k.Builtin {
		return nil, false
	}
	if crd := p.crdOf(k); crd != nil {
		for _, other := range crd.Declared {
			if other.APIVersion() == apiVersion {
				return other, true
			}
		}
	}
	return p.undefined(k, apiVersion)
}

// undefined returns a kind without a definition in another apiVersion of its group. Neither its schema nor its versions
// are known, so that each version counts as declared, with the same schema.
func (p *pipeline) undefined(k *schema.Kind, apiVersion string) (*schema.Kind, bool) {
	if _, defined := p.version(k, k.APIVersion()); defined {
		return nil, false
	}
	group, version, ok := schema.SplitAPIVersion(apiVersion)
	if !ok || group != k.Group {
		return nil, false
	}
	other := schema.NewKind(schema.GroupVersionKind{Group: group, Version: version, Kind: k.Kind}, k.Type())
	other.Namespaced, other.Resource = k.Namespaced, k.Resource
	return other, true
}
