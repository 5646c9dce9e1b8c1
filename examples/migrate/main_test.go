package main

func Example() {
	main()
	// Output:
	// {"color":"blue","size":"small"}
	//   gitops Apply 1 fields
	//   kubectl-client-side-apply Update 5 fields
	// {"color":"blue"}
	//   gitops Apply 1 fields
}
