package fieldmanager

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
)

// Managed is a decoded metadata.managedFields. The zero value has no entries.
type Managed struct {
	entries []entry
	list    document.Value // as stored; absent without entries
}

// Len returns the number of entries.
func (m Managed) Len() int { return len(m.entries) }

// Entries iterates over the entries in the API server's order: applies first, then by time,
// manager, apiVersion and subresource.
func (m Managed) Entries() iter.Seq2[int, Entry] {
	return func(yield func(int, Entry) bool) {
		for i := range m.entries {
			if !yield(i, published(&m.entries[i])) {
				return
			}
		}
	}
}

// Value returns the list for metadata.managedFields; absent without entries.
func (m Managed) Value() document.Value { return m.list }

// Split splits an object into its value and its decoded managed fields. An error wraps
// ErrManagedFields.
func Split(object document.Value) (Object, error) {
	list := object.Lookup("metadata", "managedFields")
	if !list.Exists() {
		return Object{Value: object}, nil
	}
	managed, err := DecodeManaged(list)
	return Object{Value: withoutManaged(object), Managed: managed}, err
}

// Join returns the object including metadata.managedFields.
func (o Object) Join() document.Value {
	if !o.Managed.list.Exists() || o.Value.Kind() != document.Object {
		return o.Value
	}
	return o.Value.Set(o.Managed.list, "metadata", "managedFields")
}

// String returns the object including metadata.managedFields as JSON.
func (o Object) String() string { return o.Join().String() }

// MarshalJSON encodes the result of Join. An absent object is null.
func (o Object) MarshalJSON() ([]byte, error) { return o.Join().MarshalJSON() }

// UnmarshalJSON decodes an object and splits it like Split.
func (o *Object) UnmarshalJSON(data []byte) error {
	var v document.Value
	if err := v.UnmarshalJSON(data); err != nil {
		return err
	}
	if v.IsNull() {
		v = document.Value{}
	}
	split, err := Split(v)
	if err == nil {
		*o = split
	}
	return err
}

// String returns managedFields as JSON.
func (m Managed) String() string { return m.Value().String() }

// MarshalJSON encodes metadata.managedFields, null without entries.
func (m Managed) MarshalJSON() ([]byte, error) { return m.Value().MarshalJSON() }

// UnmarshalJSON decodes metadata.managedFields like DecodeManaged.
func (m *Managed) UnmarshalJSON(data []byte) error {
	var v document.Value
	if err := v.UnmarshalJSON(data); err != nil {
		return err
	}
	decoded, err := DecodeManaged(v)
	if err == nil {
		*m = decoded
	}
	return err
}

func withoutManaged(object document.Value) document.Value {
	return object.Remove("metadata", "managedFields")
}

// DecodeManaged decodes metadata.managedFields. null has no entries; if two entries have
// the same owner, the later one is used. An error wraps ErrManagedFields.
func DecodeManaged(list document.Value) (Managed, error) {
	entries, err := decodeEntries(list)
	return newManaged(latest(entries), list), err
}

// DecodeStored is DecodeManaged for a stored object: Managed.Value returns the stored form
// of the entries, with integers beyond 2^53, which Fields has rounded, and with both entries
// of an owner that has two. The API server stores such entries after a write to the scale
// subresource.
func DecodeStored(list document.Value) (Managed, error) {
	entries, err := decodeEntries(list)
	if len(entries) == 0 {
		return Managed{}, err
	}
	if sortEntries(entries) {
		var sorted document.ListBuilder
		for i := range entries {
			sorted.Append(entries[i].Source)
		}
		list = sorted.List()
	}
	m := Managed{entries: latest(entries), list: list}
	sortEntries(m.entries)
	return m, err
}

func decodeEntries(list document.Value) ([]entry, error) {
	if !list.Exists() || list.IsNull() {
		return nil, nil
	}
	if list.Kind() != document.List {
		return nil, fmt.Errorf("%w: metadata.managedFields is a %s, not a list", ErrManagedFields, list.Kind())
	}
	entries := make([]entry, 0, list.Len()+1)
	for i, v := range list.Items() {
		e, err := decodeEntry(v)
		if err != nil {
			return nil, fmt.Errorf("%w: .metadata.managedFields[%d]: %w", ErrManagedFields, i, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// fewEntries is the number of entries up to which comparing an owner with each of them is faster
// than a map.
const fewEntries = 16

// latest removes all but the last entry of each owner, in place.
func latest(entries []entry) []entry {
	kept := entries[:0]
	var places map[string]int // in kept, by identifier
	if len(entries) > fewEntries {
		places = make(map[string]int, len(entries))
	}
	for i := range entries {
		e := &entries[i]
		if places == nil {
			kept = replaceOrAppend(kept, find(kept, e), e)
			continue
		}
		id := identifier(ownerOf(e))
		at, known := places[id]
		if !known {
			at, places[id] = -1, len(kept)
		}
		kept = replaceOrAppend(kept, at, e)
	}
	return kept
}

// replaceOrAppend replaces the entry at an index, or appends it if the index is -1.
func replaceOrAppend(entries []entry, at int, e *entry) []entry {
	if at < 0 {
		return append(entries, *e)
	}
	entries[at] = *e
	return entries
}

// find returns the index of the entry with e's owner, or -1.
func find(entries []entry, e *entry) int {
	for i := range entries {
		if entries[i].Same(e) {
			return i
		}
	}
	return -1
}

// entryError wraps the error of an entry that cannot be decoded.
func entryError(err error) error { return fmt.Errorf("%w: %w", ErrManagedFields, err) }

func decodeEntry(v document.Value) (entry, error) {
	e := entry{Source: v}
	if v.Kind() != document.Object {
		return e, fmt.Errorf("an entry must be an object, not a %s", v.Kind())
	}
	var err error
	text := func(name string) string {
		m := v.Get(name)
		s, ok := m.Text()
		if !ok && m.Exists() && !m.IsNull() && err == nil {
			err = fmt.Errorf("%s must be a string, not a %s", name, m.Kind())
		}
		return s
	}
	e.Manager, e.Operation, e.APIVersion = text("manager"), structured.Operation(text("operation")), text("apiVersion")
	e.Subresource = text("subresource")
	fieldsType, at := text("fieldsType"), text("time")
	switch {
	case err != nil:
		return e, err
	case e.Operation != structured.OperationApply && e.Operation != structured.OperationUpdate:
		return e, fmt.Errorf("operation must be Apply or Update, not %q", string(e.Operation))
	case e.APIVersion == "":
		return e, fmt.Errorf("apiVersion must not be empty")
	case fieldsType != "FieldsV1":
		return e, fmt.Errorf("fieldsType must be FieldsV1, not %q", fieldsType)
	}
	if v.Get("time").Kind() == document.String {
		t, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return e, fmt.Errorf("time must have the format of RFC 3339: %w", err)
		}
		e.Time = t.UTC()
	}
	e.Fields, err = fieldset.Decode(v.Get("fieldsV1"))
	return e, err
}

// newManaged sorts the entries and encodes metadata.managedFields. It keeps like, which may
// be absent, if that is equal.
func newManaged(entries []entry, like document.Value) Managed {
	if len(entries) == 0 {
		return Managed{}
	}
	sortEntries(entries)
	same := like.Len() == len(entries)
	var list document.ListBuilder
	list.Grow(len(entries))
	for i := range entries {
		e := &entries[i]
		source := e.Source
		if e.Source = encodeEntry(e); !document.SameNode(source, e.Source) {
			e.Fields = e.Fields.Reread() // as if it had been stored
		}
		same = same && document.SameNode(e.Source, like.At(i))
		list.Append(e.Source)
	}
	if same {
		return Managed{entries: entries, list: like}
	}
	return Managed{entries: entries, list: list.List()}
}

// sortEntries sorts entries, and reports whether they were in another order.
func sortEntries(entries []entry) bool {
	if slices.IsSortedFunc(entries, compareEntries) {
		return false
	}
	sort.SliceStable(entries, func(a, b int) bool { return compareEntries(entries[a], entries[b]) < 0 })
	return true
}

// compareEntries defines the order of entries in managedFields. Times are compared in whole
// seconds, as they are stored.
func compareEntries(a, b entry) int {
	return cmp.Or(
		cmp.Compare(a.Operation, b.Operation),
		cmp.Compare(seconds(a.Time), seconds(b.Time)),
		cmp.Compare(a.Manager, b.Manager),
		cmp.Compare(a.APIVersion, b.APIVersion),
		cmp.Compare(a.Subresource, b.Subresource),
	)
}

// seconds returns the Unix time in seconds, and 0 for a zero time.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// encodeEntry encodes an entry; an unchanged entry keeps its source.
func encodeEntry(e *entry) document.Value {
	var buffer [len(time.RFC3339)]byte
	at := buffer[:0]
	if !e.Time.IsZero() {
		at = e.Time.UTC().AppendFormat(at, time.RFC3339)
	}
	if printsAs(e, at) {
		return e.Source
	}
	var b document.ObjectBuilder
	b.Grow(7)
	b.Set("apiVersion", document.NewString(e.APIVersion))
	b.Set("fieldsType", document.NewString("FieldsV1"))
	b.Set("fieldsV1", e.Fields.JSON())
	b.SetNonEmpty("manager", e.Manager)
	b.Set("operation", document.NewString(string(e.Operation)))
	b.SetNonEmpty("subresource", e.Subresource)
	b.SetNonEmpty("time", string(at))
	return b.Object()
}

// printsAs reports whether the entry's source equals its encoding.
func printsAs(e *entry, at []byte) bool {
	v := e.Source
	want := 4
	for _, f := range [...]struct{ name, text string }{{"manager", e.Manager}, {"subresource", e.Subresource}} {
		if f.text == "" {
			continue
		}
		want++
		if v.Get(f.name).StringOr("") != f.text {
			return false
		}
	}
	if len(at) > 0 {
		want++
		if v.Get("time").StringOr("") != string(at) {
			return false
		}
	}
	return v.Len() == want && v.Get("fieldsType").Exists() &&
		v.Get("apiVersion").StringOr("") == e.APIVersion &&
		v.Get("operation").StringOr("") == string(e.Operation) &&
		document.SameNode(v.Get("fieldsV1"), e.Fields.JSON())
}

// isReset reports whether a client removes all managers by an empty list or a single empty
// entry. For a custom resource the empty list has no effect, because it is lost when the
// metadata is decoded (Kubernetes 1.36).
func isReset(list document.Value, custom bool) bool {
	if list.Kind() != document.List {
		return false
	}
	if list.Len() == 0 {
		return !custom
	}
	if list.Len() > 1 || list.At(0).Kind() != document.Object && !list.At(0).IsNull() {
		return false
	}
	for _, name := range [...]string{"manager", "operation", "apiVersion", "subresource", "fieldsType"} {
		if list.At(0).Get(name).StringOr("") != "" {
			return false
		}
	}
	return list.At(0).Get("time").Kind() != document.String && list.At(0).Get("fieldsV1").Kind() <= document.Null
}

// identifier returns the text by which the API server compares owners and sorts them in
// messages (apimachinery, BuildManagerIdentifier).
func identifier(e Owner) string {
	dst := []byte{'{'}
	add := func(name, text string) {
		if text == "" {
			return
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(document.AppendQuoted(dst, name), ':')
		dst = document.AppendQuoted(dst, text)
	}
	add("manager", e.Manager)
	add("operation", string(e.Operation))
	if e.Operation == OperationUpdate {
		add("apiVersion", e.APIVersion)
	}
	add("subresource", e.Subresource)
	return string(append(dst, '}'))
}
