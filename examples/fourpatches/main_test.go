package main

func Example() {
	main()
	// Output:
	// json       [{"op":"replace","path":"/spec/labels/x","value":"2"},{"op":"remove","path":"/spec/note"},{"op":"replace","path":"/spec/tags/0","value":"b"},{"op":"replace","path":"/spec/tags/1","value":"c"}]
	// merge      {"spec":{"labels":{"x":"2"},"note":null,"tags":["b","c"]}} <nil>
	// strategic  {"spec":{"$deleteFromPrimitiveList/tags":["a"],"$setElementOrder/tags":["b","c"],"labels":{"x":"2"},"note":null,"tags":["c"]}} <nil>
	// apply      {"apiVersion":"lab.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"labels":{"x":"2"},"tags":["b","c"]}}
}
