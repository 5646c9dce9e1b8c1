package kinds

import (
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
)

// Limits of Jobs (k8s.io/kubernetes/pkg/apis/batch/validation).
const (
	maxIndexedPods     = 100_000 // the maximum of parallelism and maxFailedIndexes of an indexed Job
	manyCompletions    = 100_000 // the number of completions above which the next two limits apply
	maxPodsOfMany      = 10_000
	maxFailuresOfMany  = 10_000
	maxManagedBy       = 63
	maxPolicyRules     = 20
	maxExitCodes       = 255
	maxIndexesInPolicy = 64 << 10
)

func validateJob(c *check, object, old field) {
	spec := object.get("spec")
	c.generatedSelector(object, old)
	mark := len(c.errs)
	c.jobSpec(spec)
	selector, template := spec.get("selector"), spec.get("template")
	if selector.isSet() {
		c.labelSelector(selector)
	} else {
		c.required(selector, "")
	}
	if isSelector(selector.Value) {
		c.selects(selector, template)
	}
	end := len(c.errs)
	name, completions := object.get("metadata.name"), spec.get("completions").number()
	if isIndexed(spec) && completions > 0 {
		host := name.text() + "-" + strconv.FormatInt(completions-1, 10)
		if why := names.DNSLabel(host); why != "" {
			c.invalid(name, "will not able to create pod with invalid DNS label: "+host)
		}
	}
	if old.isSet() {
		c.metadataAt = len(c.errs)
		c.again(mark, end)
		c.jobUpdate(spec, old)
	}
}

func isIndexed(spec field) bool { return spec.get("completionMode").text() == "Indexed" }

// generatedSelector requires the labels that kube-apiserver adds to the template of a Job
// without manualSelector.
func (c *check) generatedSelector(object, old field) {
	const prefix = "batch.kubernetes.io/"
	spec := object.get("spec")
	selector := spec.get("selector")
	if spec.get("manualSelector").isTrue() || !selector.isSet() {
		return
	}
	uid, name := object.get("metadata.uid"), object.get("metadata.name")
	c.need(uid)
	labels := spec.get("template.metadata.labels")
	c.hasLabel(labels, "controller-uid", uid.text())
	c.hasLabel(labels, "job-name", name.text())
	expected := document.NewObject().With("controller-uid", uid.Value).With("job-name", name.Value)
	had := old.get("spec.template.metadata.labels")
	if !old.isSet() || had.Get(prefix+"controller-uid").Exists() && had.Get(prefix+"job-name").Exists() {
		c.hasLabel(labels, prefix+"controller-uid", uid.text())
		c.hasLabel(labels, prefix+"job-name", name.text())
		expected = expected.With(prefix+"controller-uid", uid.Value).With(prefix+"job-name", name.Value)
	}
	if isSelector(selector.Value) && !Selects(selector.Value, expected) {
		c.invalid(selector, "`selector` not auto-generated")
	}
}

// hasLabel requires a label with the given value.
func (c *check) hasLabel(labels field, key, value string) {
	switch label := labels.key(key); {
	case !label.Exists():
		c.required(label, "must be '"+value+"'")
	case label.text() != value: // kube-apiserver shows all labels
		c.invalidValue(label, labels.Value, "must be '"+value+"'")
	}
}

// jobSpec validates the spec of a Job or of the template of a CronJob.
func (c *check) jobSpec(spec field) {
	c.counts(spec, "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes")
	perIndex, maxFailed := spec.get("backoffLimitPerIndex"), spec.get("maxFailedIndexes")
	if maxFailed.isSet() && !perIndex.isSet() {
		c.required(perIndex, "when maxFailedIndexes is specified")
	}
	if manager := spec.get("managedBy"); manager.isSet() {
		c.domainPrefixedPath(manager)
		c.maxBytes(manager, maxManagedBy)
	}
	c.oneOfIfSet(spec.get("completionMode"), "NonIndexed,Indexed")
	switch mode := spec.get("completionMode"); {
	case isIndexed(spec):
		c.indexedJob(spec)
	case !mode.isSet() || mode.text() == "NonIndexed":
		for _, f := range [...]field{perIndex, maxFailed} {
			if f.isSet() {
				c.invalid(f, "requires indexed completion mode")
			}
		}
	}
	policy := spec.get("podFailurePolicy")
	if policy.isSet() {
		c.failurePolicy(spec, policy)
	}
	if success := spec.get("successPolicy"); success.isSet() {
		if isIndexed(spec) {
			c.successPolicy(spec, success)
		} else {
			c.invalid(success, "requires indexed completion mode")
		}
	}
	if replacement := spec.get("podReplacementPolicy"); policy.isSet() {
		c.oneOfIfSet(replacement, "Failed")
	} else {
		c.oneOfIfSet(replacement, "Failed,TerminatingOrFailed")
	}
	c.podTemplate(spec.get("template"))
	restart := spec.get("template.spec.restartPolicy")
	switch text := restart.text(); {
	case text == "" || text == "Always":
		c.required(restart, `valid values: "OnFailure", "Never"`)
	case text != "OnFailure" && text != "Never":
		c.notSupported(restart, "OnFailure,Never")
	case policy.isSet() && text != "Never":
		c.invalid(restart, `only "Never" is supported when podFailurePolicy is specified`)
	}
}

func (c *check) indexedJob(spec field) {
	completions, parallelism := spec.get("completions"), spec.get("parallelism")
	perIndex, maxFailed := spec.get("backoffLimitPerIndex"), spec.get("maxFailedIndexes")
	if !completions.isSet() {
		c.required(completions, "when completion mode is Indexed")
	}
	limit := func(f field, most int64, when string) {
		if f.isSet() && f.number() > most {
			c.invalid(f, "must be less than or equal to "+strconv.FormatInt(most, 10)+when)
		}
	}
	limit(parallelism, maxIndexedPods, " when completion mode is Indexed")
	if completions.isSet() && maxFailed.isSet() && maxFailed.number() > completions.number() {
		c.invalid(maxFailed, "must be less than or equal to completions")
	}
	limit(maxFailed, maxIndexedPods, "")
	if completions.number() > manyCompletions && perIndex.isSet() {
		if !maxFailed.isSet() {
			c.required(maxFailed, "must be specified when completions is above 100000")
		}
		const ofMany = " when completions are above 100000 and used with backoff limit per index"
		limit(parallelism, maxPodsOfMany, ofMany)
		limit(maxFailed, maxFailuresOfMany, ofMany)
	}
}

func (c *check) failurePolicy(spec, policy field) {
	rules := policy.get("rules")
	c.maxItems(rules, maxPolicyRules)
	for i := range rules.items() {
		rule := rules.item(i)
		switch action := rule.get("action"); {
		case action.text() == "":
			c.required(action, `valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`)
		case action.text() != "FailIndex":
			c.oneOf(action, "Count,FailIndex,FailJob,Ignore")
		case !spec.get("backoffLimitPerIndex").isSet():
			c.invalid(action, "requires the backoffLimitPerIndex to be set")
		}
		codes, conditions := rule.get("onExitCodes"), rule.get("onPodConditions")
		if codes.isSet() {
			c.exitCodes(spec, codes)
		}
		c.podConditionPatterns(conditions)
		switch onPods := conditions.items() > 0; {
		case codes.isSet() && onPods:
			c.invalidAlone(rule, "specifying both OnExitCodes and OnPodConditions is not supported")
		case !codes.isSet() && !onPods:
			c.invalidAlone(rule, "specifying one of OnExitCodes and OnPodConditions is required")
		}
	}
}

func (c *check) podConditionPatterns(list field) {
	c.maxItems(list, maxPolicyRules)
	for i := range list.items() {
		c.syntax(list.item(i).get("type"), names.QualifiedName)
		if status := list.item(i).get("status"); c.needWith(status, `valid values: ["False" "True" "Unknown"]`) {
			c.oneOf(status, "False,True,Unknown")
		}
	}
}

func (c *check) exitCodes(spec, codes field) {
	operator, container, values := codes.get("operator"), codes.get("containerName"), codes.get("values")
	if c.needWith(operator, `valid values: ["In" "NotIn"]`) {
		c.oneOf(operator, "In,NotIn")
	}
	if pod := spec.get("template.spec"); container.isSet() && !hasNamed(pod.Get(containers), container.text()) && !hasNamed(pod.Get(initContainers), container.text()) {
		c.invalid(container, "must be one of the container or initContainer names in the pod template")
	}
	if values.items() == 0 {
		c.invalid(values, "at least one value is required")
	}
	c.maxItems(values, maxExitCodes)
	ordered := true
	seen := seenTexts{}
	for i := range values.items() {
		value := values.item(i)
		if operator.text() == "In" && value.number() == 0 {
			c.invalid(value, "must not be 0 for the In operator")
		}
		if seen.add(value.NumberText()) {
			c.duplicate(value)
		}
		ordered = ordered && (i == 0 || values.item(i-1).number() <= value.number())
	}
	if !ordered {
		c.invalid(values, "must be ordered")
	}
}

func (c *check) successPolicy(spec, policy field) {
	rules := policy.get("rules")
	if rules.items() == 0 {
		c.required(rules, "at least one rules must be specified when the successPolicy is specified")
	}
	c.maxItems(rules, maxPolicyRules)
	completions := spec.get("completions")
	if !completions.isSet() {
		return // kube-apiserver fails with an internal error
	}
	for i := range rules.items() {
		rule := rules.item(i)
		count, indexes := rule.get("succeededCount"), rule.get("succeededIndexes")
		if !count.isSet() && !indexes.isSet() {
			c.required(rule, "at least one of succeededCount or succeededIndexes must be specified")
		}
		total := int64(0)
		if indexes.isSet() {
			c.maxBytes(indexes, maxIndexesInPolicy)
			var why string
			if total, why = countIndexes(indexes.text(), completions.number()); why != "" {
				c.invalid(indexes, "error parsing succeededIndexes: "+why)
			}
		}
		if count.isSet() {
			c.minimum(count, 0)
			if count.number() > completions.number() {
				c.invalid(count, "must be less than or equal to "+completions.Value.NumberText()+" (the number of specified completions)")
			}
			if indexes.isSet() && count.number() > total {
				c.invalid(count, "must be less than or equal to "+strconv.FormatInt(total, 10)+" (the number of indexes in the specified succeededIndexes field)")
			}
		}
	}
}

// countIndexes counts the indexes in a list such as "0,2-5", which must be ascending and less
// than completions. why describes the first error, "" if there is none.
func countIndexes(list string, completions int64) (total int64, why string) {
	if list == "" {
		return 0, ""
	}
	last := int64(-1 << 62)
	for _, interval := range strings.Split(list, ",") {
		from, to, why := indexInterval(interval, completions)
		if why != "" {
			return 0, why
		}
		if last >= from {
			return 0, notIncreasing(last, from)
		}
		total += to - from + 1
		last = to
	}
	return total, ""
}

func notIncreasing(previous, current int64) string {
	return "non-increasing order, previous: " + strconv.FormatInt(previous, 10) + ", current: " + strconv.FormatInt(current, 10)
}

// indexInterval parses an index, or two ascending ones separated by '-'. why describes the first
// error, "" if there is none.
func indexInterval(text string, completions int64) (from, to int64, why string) {
	first, second, ranged := strings.Cut(text, "-")
	if strings.Contains(second, "-") {
		return 0, 0, "the fragment " + strconv.Quote(text) + " violates the requirement that an index interval can have at most two parts separated by '-'"
	}
	if from, why = index(first, completions); why != "" || !ranged {
		return from, from, why
	}
	if to, why = index(second, completions); why == "" && from >= to {
		why = notIncreasing(from, to)
	}
	return from, to, why
}

// index parses an index, which is less than completions.
func index(text string, completions int64) (n int64, why string) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 0, "cannot convert string to integer for index: " + strconv.Quote(text)
	case n >= completions:
		return 0, "too large index: " + strconv.Quote(text)
	}
	return n, ""
}

// jobUpdate validates which fields of a Job's spec may change.
func (c *check) jobUpdate(spec, old field) {
	was := old.get("spec")
	completions := spec.get("completions")
	switch {
	case !isIndexed(spec):
		c.immutable(completions, was.get("completions"))
	case c.same(completions, was.get("completions")) || !completions.isSet():
	case completions.number() != spec.get("parallelism").number():
		c.invalid(completions, "can only be modified in tandem with spec.parallelism")
	}
	c.immutable(spec.get("selector"), was.get("selector"))
	c.jobTemplateUpdate(spec, old)
	for _, name := range [...]string{"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"} {
		f := spec.get(name)
		f.Value = orNull(f.Value)
		c.immutable(f, was.get(name))
	}
}

// jobTemplateUpdate requires that the template does not change. For a suspended Job without
// active pods the scheduling constraints and the resources of containers may change; before
// Kubernetes 1.36, only the scheduling constraints, and only until it starts.
func (c *check) jobTemplateUpdate(spec, old field) {
	template, was := spec.get("template"), old.get("spec.template")
	status := old.get("status")
	suspended, started, mutable := old.get("spec.suspend").isTrue(), status.get("startTime").isSet(), c.kind.Since("1.36")
	open := suspended && mutable && (!started || hasCondition(status.Value, "Suspended")) && status.get("active").number() == 0
	fixed := template.Value
	if open || suspended && !started && !mutable {
		fixed = withScheduling(fixed, was.Value)
	}
	if !open {
		if !c.sameAs(template, fixed, was) {
			c.invalidChange(template, isImmutable)
			c.nameChanges(template, fixed, was.Value)
		}
		return
	}
	pod, before := fixed.Get("spec"), was.get("spec")
	for _, name := range [...]string{containers, initContainers} {
		if pod.Get(name).Len() == before.get(name).items() {
			pod = pod.With(name, withOldResources(pod.Get(name), before.Get(name)))
		}
	}
	if f := spec.getAs("template.spec", "template.spec"); !c.sameAs(f, pod, before) {
		c.invalidChange(f, isImmutable)
		c.nameChanges(f, pod, before.Value)
	}
}

// withScheduling returns the template with the scheduling constraints of the old one.
func withScheduling(template, was document.Value) document.Value {
	for _, name := range [...]string{"annotations", "labels"} {
		template = template.Set(was.Lookup("metadata", name), "metadata", name)
	}
	for _, name := range [...]string{"nodeSelector", "tolerations", "schedulingGates"} {
		template = template.Set(was.Lookup("spec", name), "spec", name)
	}
	const affinity, node = "affinity", "nodeAffinity"
	is, before := template.Lookup("spec", affinity), was.Lookup("spec", affinity)
	switch {
	case !is.Exists() && before.Exists() && before.Without(node).Len() == 0:
		return template.Set(before, "spec", affinity)
	case is.Exists() && !before.Exists() && is.Without(node).Len() == 0:
		return template.Remove("spec", affinity)
	case is.Exists() && before.Exists():
		return template.Set(before.Get(node), "spec", affinity, node)
	}
	return template
}

// withOldResources returns containers with the resources of the old containers of the same
// names.
func withOldResources(list, old document.Value) document.Value {
	if list.Kind() != document.List {
		return list
	}
	var b document.ListBuilder
	for i, item := range list.Items() {
		if was := old.At(i); document.Equal(item.Get("name"), was.Get("name")) {
			item = item.With("resources", was.Get("resources"))
		}
		b.Append(item)
	}
	return b.List()
}
