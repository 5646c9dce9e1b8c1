package cluster

import (
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// Rules for built-in kinds beyond their types. kube-apiserver has some ten
// thousand lines of them; here are those that people meet most.
// doc/pipeline.md says what is not done.

// checkBuiltin judges a built-in object that is written through a subresource or,
// with sub "", itself; live is absent for a new one. valid is an object of the kind
// that is known to be valid, absent for none.
func checkBuiltin(k *schema.Kind, sub string, object, live, valid document.Value) []Cause {
	if s := kinds.Of(k.Group, k.Resource); s.Validates() {
		return schemaCauses(s.ValidateUpdate(k, sub, object, live, valid))
	}
	var causes []Cause
	add := func(c ...Cause) { causes = append(causes, c...) }
	switch k.Group + "/" + k.Kind {
	case "/Pod":
		add(checkPod(object, live)...)
	case crdGroup + "/CustomResourceDefinition":
		if sub == subStatus {
			add(checkCRDStatus(object)...)
		} else {
			add(checkCRD(object, live)...)
		}
	case "apps/Deployment":
		strategy := object.Lookup("spec", "strategy")
		if strategy.Get("type").StringOr("") == "Recreate" && strategy.Get("rollingUpdate").Exists() {
			add(forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'"))
		}
	case "apps/StatefulSet":
		strategy := object.Lookup("spec", "updateStrategy")
		if strategy.Get("type").StringOr("") == "OnDelete" && strategy.Get("rollingUpdate").Exists() {
			add(invalidValue("spec.updateStrategy.rollingUpdate", strategy.Get("rollingUpdate").String(),
				"only allowed for updateStrategy 'RollingUpdate'"))
		}
	case "batch/Job":
		if p := object.Lookup("spec", "podReplacementPolicy").StringOr("Failed"); p != "Failed" && object.Lookup("spec", "podFailurePolicy").Exists() {
			add(notSupported("spec.podReplacementPolicy", strconv.Quote(p), "Failed"))
		}
		if template := object.Lookup("spec", "template", "spec"); template.Get("restartPolicy").StringOr("") == "Always" {
			add(requiredRestart()...)
		}
	}
	if k.Group == "apps" {
		add(checkSelector(object)...)
	}
	if sub == "" {
		add(checkValues(k, object)...)
		if live.Exists() {
			add(checkFixed(k, object, live)...)
		}
	}
	path, template := podTemplate(k, object)
	_, same := podTemplate(k, valid)
	unchanged := document.SameNode(template, same) && document.Identical(object.Lookup("spec", "volumeClaimTemplates"), valid.Lookup("spec", "volumeClaimTemplates"))
	if template.Exists() && !unchanged {
		add(checkPodSpec(path, template, object.Lookup("spec", "volumeClaimTemplates"))...)
	}
	return causes
}

// requiredRestart is the rule of jobs that a pod must not start again by itself
// for ever.
func requiredRestart() []Cause {
	return []Cause{required("spec.template.spec.restartPolicy", `valid values: "OnFailure", "Never"`)}
}

// podTemplate returns the pod spec within a workload, and its path.
func podTemplate(k *schema.Kind, object document.Value) (string, document.Value) {
	switch {
	case k.Group == "apps", k.Group == "batch" && k.Kind == "Job", k.Group == "" && k.Kind == "ReplicationController":
		return "spec.template.spec", object.Lookup("spec", "template", "spec")
	case k.Group == "batch" && k.Kind == "CronJob":
		return "spec.jobTemplate.spec.template.spec", object.Lookup("spec", "jobTemplate", "spec", "template", "spec")
	}
	return "", document.Value{}
}

func checkPod(object, live document.Value) []Cause {
	spec := object.Get("spec")
	causes := checkPodSpec("spec", spec, document.Value{})
	if !live.Exists() {
		if spec.Get("ephemeralContainers").Len() > 0 {
			causes = append(causes, forbidden("spec.ephemeralContainers", "cannot be set on create"))
		}
		return causes
	}
	if !document.Equal(fixedPodSpec(spec), fixedPodSpec(live.Get("spec"))) {
		causes = append(causes, forbidden("spec", "pod updates may not change fields other than the images of containers and init containers, activeDeadlineSeconds, tolerations (only additions) and terminationGracePeriodSeconds"))
	}
	return causes
}

// fixedPodSpec is the part of a pod's spec that an update may not change. What
// the resize and ephemeralcontainers subresources change is left out too: the
// update strategy has put it back where it may not change.
func fixedPodSpec(spec document.Value) document.Value {
	for _, key := range [...]string{"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "ephemeralContainers", "schedulingGates", "resources"} {
		spec = spec.Without(key)
	}
	for _, key := range [...]string{"containers", "initContainers"} {
		list := spec.Get(key)
		if list.Kind() != document.List {
			continue
		}
		var fixed document.ListBuilder
		for _, c := range list.Items() {
			fixed.Append(c.Without("image").Without("resources").Without("resizePolicy"))
		}
		spec = spec.With(key, fixed.List())
	}
	return spec
}

// checkSelector requires that the selector matches the labels of the template. A
// missing selector matches nothing, so that both are invalid; that the selector is
// required is a rule of kindRules.
func checkSelector(object document.Value) []Cause {
	template := object.Lookup("spec", "template")
	if !template.Exists() {
		return nil
	}
	selector := object.Lookup("spec", "selector")
	labels := template.Lookup("metadata", "labels")
	if selector.Kind() != document.Object {
		return []Cause{invalidValue("spec.template.metadata.labels", labels.String(), "`selector` does not match template `labels`")}
	}
	for key, want := range selector.Get("matchLabels").Members() {
		if !document.Equal(labels.Get(key), want) {
			return []Cause{invalidValue("spec.template.metadata.labels", labels.String(), "`selector` does not match template `labels`")}
		}
	}
	return nil
}
