package cluster

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// read returns a stored object as it is decoded from storage for a kind:
// defaults that have come since it was written are filled in, what its schema no
// longer knows is gone, and it is in the version of the kind.
func (p *pipeline) read(k *schema.Kind, o fieldmanager.Object) (fieldmanager.Object, *Status) {
	version := o.Value.Get("apiVersion").StringOr("")
	stored := k
	if version != k.APIVersion() {
		if other, ok := p.version(k, version); ok {
			stored = other
		}
	}
	if k.Builtin {
		if stored != k {
			var err error
			if o.Value, err = p.convert(o.Value, k); err != nil {
				return o, plainError(err)
			}
		}
		o.Value = p.fill(k, o.Value)
		return o, nil
	}
	o.Value = structural.Default(stored.Type(), pruned(stored, o.Value))
	value, err := p.convert(o.Value, k)
	if err != nil {
		return o, plainError(err)
	}
	o.Value = value
	return o, nil
}

// show returns a stored object as a kind's endpoint answers it.
func (p *pipeline) show(k *schema.Kind, o fieldmanager.Object) (document.Value, *Status) {
	o, st := p.read(k, o)
	return o.Join(), st
}

// stored returns an object as it is to be stored: in the storage version, and
// without its resource version.
func (p *pipeline) stored(k *schema.Kind, o fieldmanager.Object) (*Record, *Status) {
	if !k.Builtin && !k.Storage {
		if to, ok := p.storageVersion(k); ok {
			value, err := p.convert(o.Value, to)
			if err != nil {
				return nil, plainError(err)
			}
			o.Value = value
		}
	}
	return newRecord(o), nil
}

// storageVersion finds the version in which a custom resource is stored, which
// may not be served.
func (p *pipeline) storageVersion(k *schema.Kind) (*schema.Kind, bool) {
	for _, other := range p.kinds.Served(k.Group, k.Kind) {
		if other.Storage {
			return other, true
		}
	}
	return nil, false
}
