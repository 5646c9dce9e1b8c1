package cluster

import (
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// timeLayout is how Kubernetes writes times in metadata: UTC, whole seconds.
const timeLayout = "2006-01-02T15:04:05Z07:00"

func formatTime(t time.Time) string { return t.UTC().Truncate(time.Second).Format(timeLayout) }

// meta returns the text of a member of an object's metadata, "" for none.
func meta(object document.Value, key string) string {
	return object.Get("metadata").Get(key).StringOr("")
}

// metaInt returns a number in an object's metadata, 0 for none.
func metaInt(object document.Value, key string) int64 {
	n, _ := object.Get("metadata").Get(key).Int()
	return n
}

// hasMeta reports whether metadata has a member that is not null.
func hasMeta(object document.Value, key string) bool {
	v := object.Get("metadata").Get(key)
	return v.Exists() && !v.IsNull()
}

// withMeta returns the object with a member of its metadata set, or taken out
// where the value is absent.
func withMeta(object document.Value, key string, value document.Value) document.Value {
	metadata := object.Get("metadata")
	if !value.Exists() && !metadata.Get(key).Exists() {
		return object
	}
	return object.With("metadata", metadata.With(key, value))
}

// withMetaText sets a text in metadata, "" takes it out.
func withMetaText(object document.Value, key, text string) document.Value {
	if text == "" {
		return withMeta(object, key, document.Value{})
	}
	if meta(object, key) == text {
		return object
	}
	return withMeta(object, key, document.NewString(text))
}

// keepMeta gives next what live has under a key of its metadata.
func keepMeta(next, live document.Value, key string) document.Value {
	old := live.Get("metadata").Get(key)
	if document.SurelyIdentical(old, next.Get("metadata").Get(key)) {
		return next
	}
	return withMeta(next, key, old)
}

// finalizers returns the names in an object's metadata.finalizers.
func finalizers(object document.Value) []string {
	list := object.Get("metadata").Get("finalizers")
	names := make([]string, 0, list.Len())
	if list.Kind() != document.List {
		return names
	}
	for _, item := range list.Items() {
		names = append(names, item.StringOr(""))
	}
	return names
}

func withFinalizers(object document.Value, names []string) document.Value {
	if len(names) == 0 {
		return withMeta(object, "finalizers", document.Value{})
	}
	var list document.ListBuilder
	for _, n := range names {
		list.Append(document.NewString(n))
	}
	return withMeta(object, "finalizers", list.List())
}

// revision reads a resource version as the API server does: "" and "0" are 0.
func revision(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, &versionError{text: text, err: err}
	}
	return int64(n), nil
}

// versionError says that a resource version is no number.
type versionError struct {
	text string
	err  error
}

func (e *versionError) Error() string {
	return "the resource version " + strconv.Quote(e.text) + " is no number that this server gave out"
}

func (e *versionError) Unwrap() error { return e.err }
