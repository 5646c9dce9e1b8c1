package kinds

import "github.com/patchlab-dev/patchlab/document"

// Searches in lists. They count the items instead of ranging over an iterator, whose loops are four
// times as long in the page's engines.

// itemWith returns the first item of a list whose field has the given text, absent if there is
// none. A missing field has the text "".
func itemWith(list document.Value, field, text string) document.Value {
	for i := range itemsOf(list) {
		if item := list.At(i); item.Get(field).StringOr("") == text {
			return item
		}
	}
	return document.Value{}
}

// itemsOf returns the number of items of a list, 0 for other values.
func itemsOf(list document.Value) int {
	if list.Kind() != document.List {
		return 0
	}
	return list.Len()
}

// hasItemWith reports whether an item of a list has a field with the given text.
func hasItemWith(list document.Value, field, text string) bool {
	return itemWith(list, field, text).Exists()
}

// hasNamed reports whether a list has an item with the name.
func hasNamed(list document.Value, name string) bool { return hasItemWith(list, "name", name) }

// hasText reports whether a list contains a string.
func hasText(list document.Value, text string) bool {
	for i := range itemsOf(list) {
		if v := list.At(i); v.Kind() == document.String && v.StringOr("") == text {
			return true
		}
	}
	return false
}

// textsOf returns the strings of a list. A loop that asks for each item of one list whether another
// contains it uses such a set: lists may have as many items as a body of 3 MiB can hold.
func textsOf(list document.Value) *seenTexts {
	set := &seenTexts{}
	for i := range itemsOf(list) {
		if text, ok := list.At(i).Text(); ok {
			set.add(text)
		}
	}
	return set
}

// fieldTexts returns the texts that a field has in the items of a list. A missing field has the text "".
func fieldTexts(list document.Value, field string) *seenTexts {
	set := &seenTexts{}
	for i := range itemsOf(list) {
		set.add(list.At(i).Get(field).StringOr(""))
	}
	return set
}

// itemsBy returns the items of a list by the text of a field, the first of those with the same text.
func itemsBy(list document.Value, field string) map[string]document.Value {
	items := map[string]document.Value{}
	for i := itemsOf(list) - 1; i >= 0; i-- {
		items[list.At(i).Get(field).StringOr("")] = list.At(i)
	}
	return items
}

// hasCondition reports whether a status has a condition that is true.
func hasCondition(status document.Value, name string) bool { return conditionIs(status, name, "True") }

// conditionIs reports whether a status has a condition with the given status, such as "False".
func conditionIs(status document.Value, name, is string) bool {
	list := status.Get("conditions")
	for i := range itemsOf(list) {
		if c := list.At(i); c.Get("type").StringOr("") == name && c.Get("status").StringOr("") == is {
			return true
		}
	}
	return false
}
