package cluster

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/patchlab-dev/patchlab/document"
)

// timeLayout is the format of metadata timestamps: RFC 3339 in UTC with whole seconds.
const timeLayout = "2006-01-02T15:04:05Z07:00"

func formatTime(t time.Time) string { return t.UTC().Truncate(time.Second).Format(timeLayout) }

// meta returns a string field of an object's metadata, "" if it is absent.
func meta(object document.Value, key string) string {
	return object.Get("metadata").Get(key).StringOr("")
}

// metaInt returns an integer field of an object's metadata, 0 if it is absent.
func metaInt(object document.Value, key string) int64 {
	n, _ := object.Get("metadata").Get(key).Int()
	return n
}

// hasMeta reports whether a field of metadata is present and not null.
func hasMeta(object document.Value, key string) bool {
	v := object.Get("metadata").Get(key)
	return v.Exists() && !v.IsNull()
}

// withMeta returns the object with a field of its metadata set, or removed if value is absent.
func withMeta(object document.Value, key string, value document.Value) document.Value {
	metadata := object.Get("metadata")
	if !value.Exists() && !metadata.Get(key).Exists() {
		return object
	}
	return object.With("metadata", metadata.With(key, value))
}

// withMetaText sets a string field of metadata; "" removes it.
func withMetaText(object document.Value, key, text string) document.Value {
	if text == "" {
		return withMeta(object, key, document.Value{})
	}
	if meta(object, key) == text {
		return object
	}
	return withMeta(object, key, document.NewString(text))
}

// keepMeta sets a field of next's metadata to its value in live.
func keepMeta(next, live document.Value, key string) document.Value {
	old := live.Get("metadata").Get(key)
	if document.SurelyIdentical(old, next.Get("metadata").Get(key)) {
		return next
	}
	return withMeta(next, key, old)
}

// finalizers returns the object's metadata.finalizers.
func finalizers(object document.Value) []string {
	return object.Get("metadata").Get("finalizers").Strings()
}

func withFinalizers(object document.Value, names []string) document.Value {
	if len(names) == 0 {
		return withMeta(object, "finalizers", document.Value{})
	}
	return withMeta(object, "finalizers", document.NewStrings(names...))
}

// revision parses a resourceVersion as the API server does: "" and "0" are 0.
func revision(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, err
	}
	return int64(min(n, math.MaxInt64-1)), nil // no store reaches it, and one more is a revision, too
}

// versionParameter parses the parameter resourceVersion of a read.
func versionParameter(text string) (int64, error) {
	n, err := revision(text)
	if err != nil {
		return 0, errors.New("resourceVersion: Invalid value: " + strconv.Quote(text) + ": " + err.Error())
	}
	return n, nil
}

// badListVersion returns the error for a wrong resourceVersion of a list, and of a read that
// kube-apiserver does not serve from its cache.
func badListVersion(err error) *Status { return badRequest("invalid resource version: " + err.Error()) }
