package cluster

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

// Step answers a create, an update or a patch of one object that the caller
// holds, without any store: what Do would answer with dryRun=All in a cluster
// that holds live and nothing else. live is absent where there is no object yet;
// it is neither changed nor validated, but has the defaults that reading it from
// a store gives it. The answer keeps live's resourceVersion.
//
// Of config, Store and BookmarkInterval are not looked at. An error is a
// [*Status], or says that live itself is wrong.
func Step(config Config, live document.Value, r *Request) (*Response, error) {
	p, err := newPipeline(config)
	if err != nil {
		return nil, err
	}
	object, err := fieldmanager.Split(live)
	if err != nil {
		return nil, fmt.Errorf("the live object: %w", err)
	}
	resp, st := p.step(object, r)
	if st != nil {
		return nil, st
	}
	return resp, nil
}

func (p *pipeline) step(live fieldmanager.Object, r *Request) (*Response, *Status) {
	ep, st := p.resolve(r)
	if st != nil {
		return nil, st
	}
	t, st := p.begin(r, ep)
	if st != nil {
		return nil, st
	}
	exists := live.Value.Exists()
	unversioned := exists && meta(live.Value, "resourceVersion") == ""
	if exists {
		if unversioned {
			live = versioned(live, 1)
		}
		if live, st = p.read(ep.kind, live); st != nil {
			return nil, st
		}
	}
	var out outcome
	switch {
	case r.Verb == Create && exists:
		return nil, t.exists(&Record{object: live}, meta(live.Value, "name"))
	case r.Verb == Create:
		out, st = t.create()
	case r.Verb == Update || r.Verb == Patch:
		out, st = t.change(live)
	default:
		st = wrongMethod(ep, r)
	}
	if st != nil {
		return nil, st
	}
	return t.stepped(live, out, unversioned)
}

// stepped answers with the object as a store would give it back.
func (t *task) stepped(live fieldmanager.Object, out outcome, unversioned bool) (*Response, *Status) {
	record, st := t.stored(t.ep.kind, out.object)
	if st != nil {
		return nil, st
	}
	object := record.object
	if !unversioned {
		object.Value = keepMeta(object.Value, live.Value, "resourceVersion")
	}
	return t.respond(out, object)
}
