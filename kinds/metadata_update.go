package kinds

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// A repetition is the part of an update that the strategy of a kind validates again. kube-apiserver validates the
// metadata of an update for every kind (apiserver's rest.BeforeUpdate): the metadata itself and the
// change. The strategy of most kinds does so again, once or twice, and the causes of all validations
// are in the Status.
type repetition uint8

const (
	repeatsChange repetition = iota
	repeatsNothing
	repeatsWhole
	changeFirst
	wholeFirst
	wholeTwice
	wholeOnce // wholeFirst, also where the rest is validated twice
)

// repetitions holds what is repeated, in order: true is the metadata itself, false the change.
var repetitions = [...][]bool{
	repeatsChange:  {false},
	repeatsNothing: {},
	repeatsWhole:   {true},
	changeFirst:    {false, true},
	wholeFirst:     {true, false},
	wholeTwice:     {true, true},
	wholeOnce:      {true, false},
}

// repeated returns what the strategy repeats in an update, through a subresource or not.
func (s *Strategy) repeated(catalog *schema.Catalog, subresource string) []bool {
	switch subresource {
	case "":
		again := repetitions[s.metadataAgain]
		if s.metadataAgain != wholeOnce && !catalog.Since(s.validatedOnce) {
			again = append([]bool{true}, again...)
		}
		if !catalog.Since(s.metadataOnce) {
			again = append(again[:len(again):len(again)], true)
		}
		return again
	case "ephemeralcontainers", "resize":
		return repetitions[changeFirst]
	}
	again := repetitions[s.partMetadataAgain]
	if s.partMetadataAgain == repeatsWhole && !catalog.Since(s.validatedOnce) {
		again = repetitions[wholeTwice]
	}
	return again
}

// ValidateUpdatedMetadata validates the metadata of an update of an object, through a
// subresource or not, by the rules of a catalog's Kubernetes version (nil is
// schema.DefaultVersion), and returns the errors as often as the validations of kube-apiserver
// find them; last has those of the last validation, which other errors may precede
// ([Strategy.ValidateWritten]). managed is the value of managedFields, which the objects do not
// have; absent if it is valid.
func (s *Strategy) ValidateUpdatedMetadata(catalog *schema.Catalog, k *schema.Kind, subresource string, object, old, managed document.Value) (first, last []schema.FieldError) {
	c := newCheck(nil, "", object)
	c.catalog = catalog
	defer c.release()
	metadata, was := c.root(object).get("metadata"), c.root(old).get("metadata")
	list := field{managed, c, metadata.get("managedFields").at}
	whole := func(rule NameRule, domains bool) {
		c.metadata(metadata, k.Namespaced, rule)
		c.managedFields(list)
		if domains {
			c.finalizerDomains(metadata.get("finalizers"))
		}
	}
	change := func(domains bool) {
		c.metadataChange(metadata, was)
		c.labels(metadata.get("labels"))
		c.annotations(metadata.get("annotations"))
		c.owners(metadata.get("ownerReferences"))
		c.managedFields(list)
		if domains {
			c.finalizerDomains(metadata.get("finalizers"))
		}
	}
	domains := k.Builtin && !s.AnyFinalizer
	if whole(PathSegmentName, domains); len(c.errs) == 0 {
		c.metadataChange(metadata, was)
	}
	if len(c.errs) == 0 && (s.acceptsNames(c, metadata) || len(s.repeated(catalog, subresource)) == 0) {
		return nil, nil
	}
	c.errs = c.errs[:0]
	whole(PathSegmentName, false)
	change(false)
	end := len(c.errs)
	for _, again := range s.repeated(catalog, subresource) {
		end = len(c.errs)
		if again {
			whole(s.nameIn(catalog), domains)
		} else {
			change(domains)
		}
	}
	return c.errs[:end:end], c.errs[end:]
}

// acceptsNames reports whether the names in metadata meet the rule of the kind.
func (s *Strategy) acceptsNames(c *check, metadata field) bool {
	mark := len(c.errs)
	for i, name := range [...]string{"name", "generateName"} {
		if f := metadata.get(name); f.text() != "" {
			c.nameRule(f, i == 1, s.nameIn(c.catalog))
		}
	}
	return !c.failed(mark)
}
