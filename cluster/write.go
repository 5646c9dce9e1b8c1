package cluster

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
	"github.com/patchlab-dev/patchlab/internal/engine/semantic"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// create returns the new object of a create request, with the given or generated name.
func (t *task) create() (outcome, *Status) {
	t.begun(fieldmanager.Object{})
	value, st := t.inNamespace(withoutSystemMetadata(t.body))
	if st != nil {
		return outcome{}, st
	}
	out := outcome{created: true}
	value = t.withoutDuplicateOwners(value, "")
	t.passed(StageMetadata, value)
	next, st := t.mutate(t.tracked(fieldmanager.Object{}, value), fieldmanager.Object{})
	if st != nil {
		return out, st
	}
	t.passed(StageAdmitted, next.Value)
	next.Value = t.named(next.Value)
	if out.object, st = t.prepareNew(next); st != nil {
		return out, st
	}
	t.warnings = append(t.warnings, t.strategyWarnings(document.Value{}, out.object.Value)...)
	if out.object, st = t.admit(out.object, fieldmanager.Object{}); st != nil {
		return out, st
	}
	if n, err := revision(meta(next.Value, "resourceVersion")); err == nil && n != 0 && !t.dryRun() {
		return out, plainError(errVersionOnCreate)
	}
	return out, nil
}

// systemMetadata are the fields of metadata that only the API server sets in a new object
// (rest.WipeObjectMetaSystemFields).
var systemMetadata = [...]string{"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}

// withoutSystemMetadata removes systemMetadata from a new object.
func withoutSystemMetadata(object document.Value) document.Value {
	for _, key := range systemMetadata {
		object = withMeta(object, key, document.Value{})
	}
	return object
}

// named sets a generated name if the object has none.
func (t *task) named(object document.Value) document.Value {
	if t.ep.strategy.GenerateName && meta(object, "name") == "" && meta(object, "generateName") == "" {
		return withMetaText(object, "name", t.config.UID())
	}
	prefix := meta(object, "generateName")
	if prefix == "" || meta(object, "name") != "" {
		return object
	}
	if t.ep.strategy.WholeGenerateName {
		return withMetaText(object, "name", prefix)
	}
	if len(prefix) > maxGeneratedPrefix {
		prefix = prefix[:maxGeneratedPrefix]
	}
	return withMetaText(object, "name", prefix+t.config.Suffix())
}

// maxGeneratedPrefix is the maximum length of generateName, which leaves five of the 63
// characters of a name for the suffix.
const maxGeneratedPrefix = names.MaxLabel - 5

// prepareNew prepares a new object for storage: system metadata, the create strategy,
// validation.
func (t *task) prepareNew(next fieldmanager.Object) (fieldmanager.Object, *Status) {
	k := t.ep.kind
	next.Value = next.Value.With("metadata", remake.WithChanges(next.Value.Get("metadata"), t.newIdentity()))
	var st *Status
	if next.Value, st = t.inNamespace(next.Value); st != nil {
		return next, st
	}
	t.passed(StageMetadata, next.Value)
	asked := next.Value
	for _, text := range t.ep.strategy.PreparationWarnings(k, asked) {
		t.warn(text)
	}
	switch {
	case k.Builtin && t.rules != nil:
		next.Value = t.rules.PrepareForCreate(k, next.Value, t.registryRequest())
	case k.Status:
		next.Value = next.Value.Without("status")
	}
	t.passed(StageReset, next.Value)
	causes, st := t.allocate(asked, next.Value, document.Value{})
	if st != nil {
		return next, st
	}
	if len(causes) == 0 {
		causes = t.validateNew(next)
	}
	if len(causes) > 0 {
		return next, invalid(t.ep.invalidKind(next.Value), meta(next.Value, "name"), causes)
	}
	return next, nil
}

// newIdentity returns the metadata that every new object gets, sorted by key. A restored object
// keeps what it has of it.
func (t *task) newIdentity() []remake.Change {
	var had document.Value
	if t.Request.Restore {
		had = t.body.Get("metadata")
	}
	changes := make([]remake.Change, 0, 5)
	add := func(key string, v document.Value) {
		if kept := had.Get(key); kept.Exists() && !kept.IsNull() {
			v = kept
		}
		changes = append(changes, remake.Change{Key: key, Value: v})
	}
	add("creationTimestamp", document.NewString(formatTime(t.now)))
	if had.Exists() {
		add("deletionGracePeriodSeconds", document.Value{})
		add("deletionTimestamp", document.Value{})
	}
	if hasFirstGeneration(t.ep.strategy) {
		add("generation", document.NewInt(1))
	}
	add("uid", document.NewString(t.config.UID()))
	return changes
}

// invalidKind returns the group and kind to name in the error for an invalid object: for a
// custom resource those in the object. Events have one internal type, that of the core group.
func (e *endpoint) invalidKind(object document.Value) groupResource {
	group := e.kind.Group
	if e.kind.Builtin && group == "events.k8s.io" {
		group = ""
	}
	if version := object.Get("apiVersion").StringOr(""); !e.kind.Builtin && version != "" {
		group, _, _ = schema.SplitAPIVersion(version)
	}
	return groupResource{group, object.Get("kind").StringOr(e.kind.Kind)}
}

// change returns the next state of an object for an update or one of the four patch types,
// through the resource itself or a subresource. live has its resourceVersion; it is the zero
// Object if none exists.
func (t *task) change(live fieldmanager.Object) (outcome, *Status) {
	if !live.Value.Exists() && !t.mayCreate() {
		return outcome{}, t.missing()
	}
	t.begun(live)
	if t.ep.sub == subScale {
		return t.changeScale(live)
	}
	next, st := t.next(live)
	if st != nil {
		return outcome{}, st
	}
	return t.finishChange(live, next)
}

// missing returns the error for a change to an object that does not exist. The body of an update has been checked before
// the object is looked up.
func (t *task) missing() *Status {
	t.warnings = t.warnings[:t.early]
	if t.Verb == Update {
		t.withoutDuplicateOwners(t.body, "")
	}
	return notFound(t.ep.what(), t.Name)
}

// mayCreate reports whether the write creates a missing object: an apply always does, an
// update for some resources. For few resources, writes of the status do. (For those resources a
// JSON, merge or strategic merge patch fails with NotFound only when it is applied.)
func (t *task) mayCreate() bool {
	s, apply := t.ep.strategy, t.Verb == Patch && t.Format == ApplyPatch
	switch t.ep.sub {
	case "":
		return apply || t.Verb == Update && s.CreateOnUpdate
	case subStatus:
		return apply && s.CreateOnStatusApply || (apply || t.Verb == Update) && s.CreateOnUpdate
	}
	return false
}

// next applies the body or patch to the live object, up to and including field management. For
// the scale subresource, live is a Scale.
func (t *task) next(live fieldmanager.Object) (fieldmanager.Object, *Status) {
	if t.Verb == Update {
		value := t.withoutDuplicateOwners(t.body, "")
		if st := t.sameUID(live, value); st != nil {
			return fieldmanager.Object{}, st
		}
		t.passedBody(StageMetadata, value)
		return t.mutate(t.tracked(live, value), live)
	}
	exists := live.Value.Exists()
	var next fieldmanager.Object
	var st *Status
	if t.Format == ApplyPatch {
		next, st = t.applied(live)
	} else {
		var value document.Value
		if value, st = t.patched(live); st == nil {
			next = t.tracked(live, value)
		}
	}
	if st != nil {
		return next, st
	}
	if uid := meta(next.Value, "uid"); !exists && uid != "" {
		return next, conflict(t.ep.what(), t.Name,
			"uid mismatch: the provided object specified uid "+uid+", and no existing object was found")
	}
	if next.Value, st = t.inNamespace(next.Value); st != nil {
		return next, st
	}
	if st = t.checkName(next.Value); st != nil {
		return next, st
	}
	next.Value = t.withoutDuplicateOwners(next.Value, afterMutation)
	t.passedBody(StageMetadata, next.Value)
	return t.mutate(next, live)
}

// sameUID refuses an update whose uid differs from the live object's, with the message of
// kube-apiserver's storage.
func (t *task) sameUID(live fieldmanager.Object, next document.Value) *Status {
	wanted, found := meta(next, "uid"), meta(live.Value, "uid")
	if wanted == "" || wanted == found || found == "" && live.Value.Exists() {
		return nil
	}
	return conflict(t.ep.what(), t.Name, storageError(t.shownKey(t.ep.key(t.Namespace, t.Name)), "UID", wanted, found))
}

// shownKey returns a key of the store as messages show it: kube-apiserver's dry run does not know the prefix of keys.
func (t *task) shownKey(key string) string {
	if t.dryRun() {
		key = strings.TrimPrefix(key, "/registry")
	}
	return key
}

// storageError returns the message of the API server's storage for a failed precondition.
func storageError(key, what, wanted, found string) string {
	return "StorageError: invalid object, Code: 4, Key: " + key + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " +
		what + " in precondition: " + wanted + ", " + what + " in object meta: " + found
}

// finishChange checks the resourceVersion of the next state and prepares it for storage.
func (t *task) finishChange(live, next fieldmanager.Object) (outcome, *Status) {
	var out outcome
	wanted, err := revision(meta(next.Value, "resourceVersion"))
	if err != nil {
		return out, plainError(err)
	}
	if !live.Value.Exists() {
		// Unlike a create, the API server keeps a time of deletion that the client has set.
		next.Value = withMeta(next.Value, "selfLink", document.Value{})
		out.created = true
		var st *Status
		if out.object, st = t.prepareNew(next); st == nil {
			t.warnings = append(t.warnings, t.strategyWarnings(live.Value, out.object.Value)...)
			out.object, st = t.admit(out.object, live)
		}
		return out, st
	}
	has := meta(live.Value, "resourceVersion")
	switch {
	case wanted == 0 && !t.ep.strategy.RequireVersion:
		next.Value = withMetaText(next.Value, "resourceVersion", has)
	case wanted == 0:
		return out, invalid(t.ep.what(), t.Name, []Cause{
			invalidValue("metadata.resourceVersion", "0", "must be specified for an update")})
	case strconv.FormatInt(wanted, 10) != has:
		return out, conflict(t.ep.what(), t.Name, modified)
	}
	t.passed(StageAdmitted, next.Value)
	next, st := t.prepareUpdate(live, next)
	if st != nil {
		return out, st
	}
	t.warnings = append(t.warnings, t.strategyWarnings(live.Value, next.Value)...)
	if next, st = t.admit(next, live); st != nil {
		return out, st
	}
	if t.semanticallyEqual(next.Value, live.Value) && sameManagers(next.Managed, live.Managed, false) {
		next.Managed = live.Managed
	}
	out.object, out.deleted = next, lastFinalizerGone(t.ep.strategy, live.Value, next.Value)
	return out, nil
}

// semanticallyEqual reports whether two objects are equal as the API server compares them to keep
// the times of managers: those of built-in kinds may write the same quantity differently.
func (t *task) semanticallyEqual(next, live document.Value) bool {
	return document.Identical(next, live) || t.ep.kind.Builtin && semantic.Equal(t.ep.kind.Type(), next, live)
}

// prepareUpdate runs the update strategy: it resets fields that the endpoint must not change,
// sets the generation, and validates the result.
func (t *task) prepareUpdate(live, next fieldmanager.Object) (fieldmanager.Object, *Status) {
	var st *Status
	if next.Value, st = t.inNamespace(next.Value); st != nil {
		return next, st
	}
	next.Value = keepMeta(next.Value, live.Value, "generation")
	t.passed(StageMetadata, next.Value)
	asked := next.Value
	next.Value = t.reset(live.Value, next.Value)
	if t.ep.sub == "ephemeralcontainers" && !t.ep.kind.Since("1.33") {
		next.Managed = live.Managed // the strategy restored all metadata
	}
	t.passed(StageReset, next.Value)
	if t.ep.strategy.CountsDropped && !t.semanticallyEqual(asked, next.Value) {
		t.empties = true
	}
	if t.ep.sub != subStatus {
		next.Value = t.nextGeneration(next.Value, live.Value)
	}
	if meta(next.Value, "uid") == "" {
		next.Value = keepMeta(next.Value, live.Value, "uid")
	}
	if hasMeta(live.Value, "creationTimestamp") {
		next.Value = keepMeta(next.Value, live.Value, "creationTimestamp")
	} else if !hasMeta(next.Value, "creationTimestamp") { // a null, which generators print
		next.Value = withMeta(next.Value, "creationTimestamp", document.Value{})
	}
	if hasMeta(live.Value, "deletionTimestamp") {
		next.Value = keepMeta(next.Value, live.Value, "deletionTimestamp")
	}
	if hasMeta(live.Value, "deletionGracePeriodSeconds") && !hasMeta(next.Value, "deletionGracePeriodSeconds") {
		next.Value = keepMeta(next.Value, live.Value, "deletionGracePeriodSeconds")
	}
	t.passed(StageMetadata, next.Value)
	causes, st := t.allocate(asked, next.Value, live.Value)
	if st != nil {
		return next, st
	}
	if len(causes) == 0 {
		causes = t.validateUpdate(live.Value, next)
	}
	if len(causes) > 0 {
		return next, invalid(t.ep.invalidKind(next.Value), meta(next.Value, "name"), causes)
	}
	return next, nil
}

// reset restores the fields of next that the endpoint must not change.
func (t *task) reset(live, next document.Value) document.Value {
	switch {
	case t.ep.kind.Builtin && t.rules != nil:
		return t.rules.PrepareForUpdate(t.ep.kind, next, live, t.registryRequest())
	case t.ep.sub == subStatus:
		return live.With("status", next.Get("status"))
	case t.ep.kind.Status:
		return next.With("status", live.Get("status"))
	}
	return next
}

// nextGeneration sets the generation of an update. Most strategies compare semantically; those
// with ExactGeneration compare the Go values, in which an empty list differs from an absent
// one.
func (t *task) nextGeneration(next, live document.Value) document.Value {
	k := t.ep.kind
	if t.empties {
		return withMeta(next, "generation", document.NewInt(metaInt(live, "generation")+1))
	}
	counted := nextGeneration(t.ep.strategy, next, next, live)
	if !k.Builtin || t.ep.strategy.ExactGeneration || metaInt(counted, "generation") == metaInt(live, "generation") {
		return counted
	}
	if sameParts(t.ep.strategy, k, next, live) {
		return keepMeta(next, live, "generation")
	}
	return counted
}

// registryRequest returns the part of the request that the strategies of built-in kinds depend
// on. Writes to scale run the strategy of the object itself.
func (t *task) registryRequest() defaults.Request {
	q := defaults.Request{Subresource: t.ep.sub, Now: t.now, User: t.User}
	if q.Subresource == subScale {
		q.Subresource = ""
	}
	t.allot(&q)
	return q
}

// lastFinalizerGone reports whether an object that is being deleted has no finalizers left and
// its grace period is over.
func lastFinalizerGone(s *kinds.Strategy, live, next document.Value) bool {
	if !hasMeta(live, "deletionTimestamp") || len(finalizers(next)) > 0 || metaInt(live, "deletionGracePeriodSeconds") != 0 {
		return false
	}
	return !s.Emptied || next.Lookup("spec", "finalizers").Len() == 0
}
