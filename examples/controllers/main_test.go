package main

func Example() {
	main()
	// Output:
	// round 1: 4 of 5 conflict
	// round 2: 3 of 4 conflict
	// round 3: 2 of 3 conflict
	// round 4: 1 of 2 conflict
	// round 5: 0 of 1 conflict
	// 10 conflicts; 5 labels
}
