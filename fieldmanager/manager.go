package fieldmanager

import (
	"errors"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// New returns a manager for a kind.
func New(c Config) (*Manager, error) {
	return nil, errors.ErrUnsupported
}

// Update tracks who owns what after a request that is no apply: next is the
// object that is to be stored in place of live, defaulted and otherwise
// complete, with the metadata.managedFields that the request left in it. The
// result holds next.
//
// An error does not refuse the request: the API server stores the object, then
// without any managedFields, and so does the result. The error says why.
func (m *Manager) Update(live Object, next document.Value, manager string, now time.Time) (Object, error) {
	return Object{Value: next}, errors.ErrUnsupported
}

// Apply merges a configuration into the live object for a manager.
// An error is a Conflicts, or wraps ErrType, ErrManagedFields, ErrRequest,
// ErrVersion or what Config.Finish returned; nothing is changed then.
func (m *Manager) Apply(live Object, config document.Value, manager string, force bool, now time.Time) (Object, error) {
	return Object{}, errors.ErrUnsupported
}
