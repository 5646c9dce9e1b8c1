package main

func Example() {
	main()
	// Output:
	// shop/web:2 IfNotPresent 1 1
}
