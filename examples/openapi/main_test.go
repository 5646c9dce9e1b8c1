package main

func Example() {
	main()
	// Output:
	// [{"host":"a","port":80},{"host":"b","port":80},{"host":"c","port":80}]
}
