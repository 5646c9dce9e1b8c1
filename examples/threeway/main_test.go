package main

func Example() {
	main()
	// Output:
	// {"color":"red","owner":"team-a"}
	// {"apiVersion":"v1","data":{"color":"red"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"a","namespace":"shop"}}
}
