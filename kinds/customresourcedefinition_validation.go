package kinds

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/names"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// validateCustomResourceDefinition requires structural schemas with valid defaults, names that
// do not change once they are established, a declared version for all stored objects, and
// approval in the groups of Kubernetes.
func validateCustomResourceDefinition(c *check, object, old field) {
	spec := object.get("spec")
	if prefix := object.get("metadata.generateName"); !old.isSet() && prefix.text() != "" && prefix.text() != spec.get("names.plural").text()+"."+spec.get("group").text() {
		c.invalid(prefix, "must be spec.names.plural+\".\"+spec.group")
	}
	first := len(c.errs)
	c.definitionSchemas(object, old)
	c.definitionNames(spec.get("names"))
	c.definitionGroup(spec.get("group"))
	c.definitionVersions(spec)
	c.sortDefinitionErrors(first)
	established := hasCondition(old.Get("status"), "Established")
	if strategy := spec.get("conversion.strategy"); spec.get("conversion").isSet() && strategy.text() != "None" && spec.get("preserveUnknownFields").isTrue() {
		c.invalid(strategy, "must be None if spec.preserveUnknownFields is true")
	}
	c.conversion(spec.get("conversion"), old.get("spec.conversion"), established)
	if old.isSet() {
		fixed := []string{"group", "names.plural"}
		if established {
			fixed = append(fixed, "scope", "names.kind")
		}
		for _, name := range fixed {
			c.immutable(spec.get(name), old.get("spec").get(name))
		}
	}
	c.storedVersions(object.get("status.storedVersions"), spec.get("versions"))
	c.approval(object, old)
	if spec.get("preserveUnknownFields").isTrue() && !old.get("spec.preserveUnknownFields").isTrue() {
		c.invalid(spec.get("preserveUnknownFields"), "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead")
	}
}

// definitionSchemas adds the errors of package schema about a definition or, if it finds none, those
// about the defaults in its schemas.
func (c *check) definitionSchemas(object, old field) {
	crd, err := schema.FromCRD(object.Value)
	var wrong *schema.InvalidCRD
	switch {
	case errors.As(err, &wrong):
		for _, e := range wrong.Errors {
			if e.Field != "metadata.name" || !old.isSet() && !object.get("metadata.name").isEmpty() { // a rule for new names
				if showsValue(e.Type) && !e.BadValue.Exists() {
					e.BadValue = object.Value.Follow(e.Path)
				}
				c.errs = append(c.errs, e)
			}
			if e.Field == "metadata.name" {
				c.metadataAt = len(c.errs)
			}
		}
	case err != nil:
		c.invalid(object.get("spec"), err.Error())
	default:
		c.errs = append(c.errs, structural.ValidateDefaults(crd, c.kind.Catalog())...)
	}
}

// sortDefinitionErrors sorts the errors from the first one on by the parts of a definition. (A page
// would need more code for a function of package slices.)
func (c *check) sortDefinitionErrors(first int) {
	found := c.errs[first:]
	c.errs = c.errs[:first:first]
	for order := range len(definitionParts) + 2 {
		for _, e := range found {
			if definitionOrder(e) == order {
				c.errs = append(c.errs, e)
			}
		}
	}
}

// definitionParts are the parts of a definition in the order in which kube-apiserver validates them. The names that are
// missing precede those that are invalid.
var definitionParts = [...]string{"spec.group", "spec.scope", "spec.version", "spec.names.plural", "spec.names.singular", "spec.names.kind", "spec.names.listKind", "spec.names"}

// definitionOrder returns the position of an error about a definition: 0 for its metadata, and the last
// one for what is not a part of definitionParts.
func definitionOrder(e schema.FieldError) int {
	for i, part := range definitionParts {
		if strings.HasPrefix(e.Field, part) && (i <= 2 || part == "spec.names" || e.Type == schema.ErrorRequired) {
			return i + 1
		}
	}
	if strings.HasPrefix(e.Field, "spec.") {
		return len(definitionParts) + 1
	}
	return 0
}

func (c *check) definitionGroup(group field) {
	switch {
	case group.text() == "":
	case names.DNSSubdomain(group.text()) != "":
		c.invalid(group, joined(names.DNSSubdomain(group.text()), ","))
	case !strings.Contains(group.text(), "."):
		c.invalid(group, "should be a domain with at least one dot")
	}
}

// definitionNames validates spec.names or status.acceptedNames.
func (c *check) definitionNames(of field) {
	for _, name := range [...]string{"plural", "singular"} {
		if f := of.get(name); f.text() != "" {
			c.lowerCaseName(f)
		}
	}
	for _, name := range [...]string{"kind", "listKind"} {
		f := of.get(name)
		if why := names.DNSLabel1035(strings.ToLower(f.text())); f.text() != "" && why != "" {
			c.invalid(f, "may have mixed case, but should otherwise match: "+joined(why, ","))
		}
	}
	c.lowerCaseNames(of.get("shortNames"))
	if kind := of.get("kind").text(); kind != "" && kind == of.get("listKind").text() {
		c.invalid(of.get("listKind"), "kind and listKind may not be the same")
	}
	c.lowerCaseNames(of.get("categories"))
}

func (c *check) lowerCaseNames(list field) {
	for i := range list.items() {
		c.lowerCaseName(list.item(i))
	}
}

// lowerCaseName requires a label that begins with a letter.
func (c *check) lowerCaseName(f field) {
	if why := names.DNSLabel1035(f.text()); why != "" {
		c.invalid(f, joined(why, ","))
	}
}

func (c *check) definitionVersions(spec field) {
	list := spec.get("versions")
	for i := range list.items() {
		version := list.item(i)
		if why := names.DNSLabel1035(version.Value.Get("name").StringOr("")); why != "" {
			c.invalid(version.get("name"), joined(why, ","))
		}
		if warning := version.get("deprecationWarning"); warning.isSet() {
			c.deprecationWarning(warning, version.get("deprecated").isTrue())
		}
	}
	if first := list.item(0).get("name"); first.text() != "" && names.DNSLabel1035(first.text()) != "" {
		c.invalidText(spec.getAs("", "version"), first.text(), joined(names.DNSLabel1035(first.text()), ","))
	}
	// Columns that are the same in all versions are reported at the path that they have in
	// apiextensions.k8s.io/v1beta1.
	if sharedColumns(list) {
		c.columns(spec.getAs("versions", "").hiddenItem(0).get("additionalPrinterColumns"))
		return
	}
	for i := range list.items() {
		c.columns(list.item(i).get("additionalPrinterColumns"))
	}
}

func sharedColumns(versions field) bool {
	first := versions.item(0).get("additionalPrinterColumns")
	for i := range versions.items() {
		columns := versions.item(i).get("additionalPrinterColumns")
		if !document.Equal(columns.Value, first.Value) && (!columns.isEmpty() || !first.isEmpty()) {
			return false
		}
	}
	return true
}

func (c *check) deprecationWarning(warning field, deprecated bool) {
	const longest = 256
	text := warning.text()
	switch {
	case !deprecated:
		c.invalid(warning, "can only be set for deprecated versions")
		return
	case text == "":
		c.invalid(warning, "must not be an empty string")
	case len(text) > longest:
		c.invalid(warning, "must be <= 256 characters long")
	}
	for i, r := range text {
		if !unicode.IsPrint(r) {
			c.invalid(warning, "must only contain printable UTF-8 characters; non-printable character found at index "+strconv.Itoa(i))
			return
		}
	}
}

func (c *check) columns(list field) {
	for i := range list.items() {
		column := list.item(i)
		c.need(column.get("name"))
		kind, format := column.get("type"), column.get("format")
		const types = "must be one of boolean,date,integer,number,string"
		if c.needWith(kind, types) && !among(kind.text(), "integer,number,string,boolean,date") {
			c.invalid(kind, types)
		}
		if format.text() != "" && !among(format.text(), "int32,int64,float,double,byte,date,date-time,password") {
			c.invalid(format, "must be one of byte,date,date-time,double,float,int32,int64,password")
		}
		path := column.getAs("jsonPath", "JSONPath")
		if c.need(path) && path.text()[0] != '.' {
			c.invalid(path, "must be a simple json path starting with .")
		}
	}
}

// conversion requires a strategy and, for Webhook, a client configuration and review versions.
// Errors have the paths of apiextensions.k8s.io/v1beta1.
func (c *check) conversion(conversion, old field, established bool) {
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
	if client.isSet() {
		c.webhookClient(client)
	} else {
		c.required(client, "required when strategy is set to Webhook")
	}
	if bundle := client.get("caBundle"); established && !bundle.isEmpty() && !hasCertificate(bundle.text()) {
		if was := old.get("webhook.clientConfig.caBundle"); was.isEmpty() || hasCertificate(was.text()) {
			c.invalid(bundle, noCertificates)
		}
	}
	known := old.get("webhook.conversionReviewVersions")
	c.conversionVersions(versions, known.items() == 0 || hasReviewVersion(known))
}

func (c *check) conversionVersions(versions field, known bool) {
	if versions.items() == 0 {
		c.required(versions, "")
		return
	}
	c.reviewVersions(versions, known)
}

// storedVersions requires that the versions in which objects may be stored are declared, and
// that the storage version is one of them.
func (c *check) storedVersions(list, versions field) {
	storage := ""
	declared := func(name string) bool {
		for i := range versions.items() {
			if versions.item(i).get("name").text() == name {
				return true
			}
		}
		return false
	}
	for i := range versions.items() {
		v := versions.item(i)
		switch name := v.get("name").text(); {
		case !v.get("storage").isTrue():
		case storage == "":
			storage = name // added to the list when the definition was written
		case !slices.Contains(list.Value.Strings(), name):
			c.invalid(list, "must have the storage version "+name)
		}
	}
	if list.items() == 0 && storage == "" {
		c.invalid(list, "must have at least one stored version")
		return
	}
	for i := range list.items() {
		if version := list.item(i); !declared(version.text()) {
			c.invalid(version, "missing from spec.versions; "+version.text()+" was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in "+
				version.text()+" and removes "+version.text()+" from status.storedVersions")
		}
	}
}

func validateCustomResourceDefinitionStatus(c *check, object, _ field) {
	c.definitionNames(object.get("status.acceptedNames"))
}

// ApprovalState is the approval of a CustomResourceDefinition in a group of Kubernetes
// (k8s.io, kubernetes.io). It is the reason of the condition
// KubernetesAPIApprovalPolicyConformant.
type ApprovalState string

// The values of ApprovalState.
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

// Approval returns the approval of a CustomResourceDefinition and the message of its
// condition. needed is false outside the groups of Kubernetes.
func Approval(crd document.Value) (state ApprovalState, message string, needed bool) {
	group := crd.Lookup("spec", "group").StringOr("")
	for _, own := range [...]string{"k8s.io", "kubernetes.io"} {
		needed = needed || group == own || strings.HasSuffix(group, "."+own)
	}
	text := crd.Lookup("metadata", "annotations", approvalAnnotation).StringOr("")
	address, err := url.ParseRequestURI(text)
	switch {
	case text == "":
		return ApprovalMissing, "protected groups must have approval annotation " + strconv.Quote(approvalAnnotation) + approvalSee, needed
	case strings.HasPrefix(text, "unapproved"):
		return ApprovalBypassed, "not approved: " + strconv.Quote(text), needed
	case err == nil && address.Scheme != "" && address.Host != "":
		return Approved, "approved in " + text, needed
	}
	return ApprovalInvalid, "protected groups must have approval annotation " + strconv.Quote(approvalAnnotation) +
		" with either a URL or a reason starting with \"unapproved\"" + approvalSee, needed
}

// approval requires that the definition is approved, unless its approval state is unchanged.
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
