package kinds

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// validateCustomResourceDefinition requires structural schemas with valid defaults,
// names that stay once they are established, a version for all objects that may be
// stored, and approval in the groups of Kubernetes.
func validateCustomResourceDefinition(c *check, object, old field) {
	crd, err := schema.FromCRD(object.Value)
	var wrong *schema.InvalidCRD
	spec := object.get("spec")
	switch {
	case errors.As(err, &wrong):
		c.errs = append(c.errs, wrong.Errors...)
	case err != nil:
		c.invalid(spec, err.Error())
	default:
		c.errs = append(c.errs, structural.ValidateDefaults(crd)...)
	}
	c.definitionNames(spec)
	c.definitionVersions(spec.get("versions"))
	c.conversion(spec.get("conversion"))
	if old.isSet() {
		was := old.get("spec")
		fixed := []string{"group", "names.plural"}
		if hasCondition(old.Get("status"), "Established") {
			fixed = append(fixed, "scope", "names.kind")
		}
		for _, name := range fixed {
			c.immutable(spec.get(name), was.get(name))
		}
	}
	if crd != nil {
		c.storedVersions(object.get("status.storedVersions"), crd)
	}
	c.approval(object, old)
}

func (c *check) definitionNames(spec field) {
	c.syntaxIfSet(spec.get("names.singular"), names.DNSLabel1035)
	categories := spec.get("names.categories")
	for i := range categories.items() {
		c.syntax(categories.item(i), names.DNSLabel1035)
	}
	if first := spec.get("versions").item(0).get("name"); names.DNSLabel1035(first.text()) != "" {
		c.invalidText(spec.getAs("", "version"), first.text(), names.DNSLabel1035(first.text()))
	}
}

func (c *check) definitionVersions(list field) {
	for i := range list.items() {
		version := list.item(i)
		c.syntax(version.get("name"), names.DNSLabel1035)
		if warning := version.get("deprecationWarning"); warning.isSet() {
			c.deprecationWarning(warning, version.get("deprecated").isTrue())
		}
		if list.items() > 1 { // of a single version kube-apiserver names other fields
			c.columns(version.get("additionalPrinterColumns"))
			c.unique(version.get("selectableFields"), "jsonPath")
		}
	}
}

func (c *check) deprecationWarning(warning field, deprecated bool) {
	const longest = 256
	switch text := warning.text(); {
	case !deprecated:
		c.invalid(warning, "can only be set for deprecated versions")
	case text == "" || len(text) > longest:
		c.invalid(warning, "must have 1 to 256 characters")
	}
}

func (c *check) columns(list field) {
	for i := range list.items() {
		column := list.item(i)
		c.need(column.get("name"))
		kind, format := column.get("type"), column.get("format")
		if c.need(kind) && !among(kind.text(), "integer,number,string,boolean,date") {
			c.invalid(kind, "must be one of boolean, date, integer, number, string")
		}
		if format.text() != "" && !among(format.text(), "int32,int64,float,double,byte,date,date-time,password") {
			c.invalid(format, "must be one of byte, date, date-time, double, float, int32, int64, password")
		}
	}
}

// conversion requires a strategy, and for webhooks the versions of reviews. Errors
// name the fields as the first version of the API had them.
func (c *check) conversion(conversion field) {
	if !conversion.isSet() {
		return
	}
	strategy := conversion.get("strategy")
	client := conversion.getAs("webhook.clientConfig", "webhookClientConfig")
	versions := conversion.getAs("webhook.conversionReviewVersions", "conversionReviewVersions")
	c.needOneOf(strategy, "None,Webhook")
	if strategy.text() != "Webhook" {
		if client.isSet() {
			c.forbidden(client, "should not be set when strategy is not set to Webhook")
		}
		if versions.items() > 0 {
			c.forbidden(versions, "should not be set when strategy is not set to Webhook")
		}
		return
	}
	if versions.items() == 0 {
		c.required(versions, "")
		return
	}
	if !hasText(versions.Value, "v1") && !hasText(versions.Value, "v1beta1") {
		c.invalid(versions, "must include at least one of v1, v1beta1")
	}
	for i := range versions.items() {
		c.syntax(versions.item(i), names.DNSLabel1035)
	}
}

// storedVersions requires that versions in which objects may be stored are declared.
func (c *check) storedVersions(list field, crd *schema.CRD) {
	for i := range list.items() {
		version, declared := list.item(i), false
		for _, k := range crd.Declared {
			declared = declared || k.Version == version.text()
		}
		if !declared {
			c.invalid(version, "must appear in spec.versions")
		}
	}
}

func validateCustomResourceDefinitionStatus(c *check, object, _ field) {
	accepted := object.get("status.acceptedNames")
	for _, name := range [...]string{"plural", "singular", "kind", "listKind"} {
		c.acceptedName(accepted.get(name))
	}
	for _, name := range [...]string{"shortNames", "categories"} {
		list := accepted.get(name)
		for i := range list.items() {
			c.acceptedName(list.item(i))
		}
	}
}

// acceptedName requires a label that begins with a letter, in any case.
func (c *check) acceptedName(name field) {
	if why := names.DNSLabel1035(strings.ToLower(name.text())); name.text() != "" && why != "" {
		c.invalid(name, why)
	}
}

// ApprovalState is whether a CustomResourceDefinition in a group of Kubernetes was
// approved; its text is the reason of the condition that says so.
type ApprovalState string

// The states of approval.
const (
	ApprovalMissing  ApprovalState = "MissingAnnotation"
	ApprovalBypassed ApprovalState = "UnapprovedAnnotation"
	ApprovalInvalid  ApprovalState = "InvalidAnnotation"
	Approved         ApprovalState = "ApprovedAnnotation"
)

const (
	approvalAnnotation = "api-approved.kubernetes.io"
	approvalSee        = ", see https://github.com/kubernetes/enhancements/pull/1111"
)

// Approval returns whether a CustomResourceDefinition is approved and the message of
// the condition. needed is false outside the groups of Kubernetes.
func Approval(crd document.Value) (state ApprovalState, message string, needed bool) {
	group := crd.Lookup("spec", "group").StringOr("")
	for _, own := range [...]string{"k8s.io", "kubernetes.io"} {
		needed = needed || group == own || strings.HasSuffix(group, "."+own)
	}
	text := crd.Lookup("metadata", "annotations", approvalAnnotation).StringOr("")
	scheme, rest, _ := strings.Cut(text, "://")
	switch {
	case text == "":
		return ApprovalMissing, "protected groups must have approval annotation " + strconv.Quote(approvalAnnotation) + approvalSee, needed
	case strings.HasPrefix(text, "unapproved"):
		return ApprovalBypassed, "not approved: " + strconv.Quote(text), needed
	case scheme != "" && rest != "" && rest[0] != '/':
		return Approved, "approved in " + text, needed
	}
	return ApprovalInvalid, "protected groups must have approval annotation " + strconv.Quote(approvalAnnotation) +
		" with either a URL or a reason starting with \"unapproved\"" + approvalSee, needed
}

// approval requires approval where its state is not the old one.
func (c *check) approval(object, old field) {
	state, message, needed := Approval(object.Value)
	if !needed {
		return
	}
	if was, _, _ := Approval(old.Value); old.isSet() && was == state {
		return
	}
	switch annotation := object.get("metadata.annotations").key(approvalAnnotation); state {
	case ApprovalMissing:
		c.required(annotation, message)
	case ApprovalInvalid:
		c.invalid(annotation, message)
	}
}
