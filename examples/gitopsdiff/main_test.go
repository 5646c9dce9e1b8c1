package main

func Example() {
	main()
	// Output:
	// removed .spec.template.spec.containers[name="web"].env[name="LOG_LEVEL"].name "LOG_LEVEL" -> nothing
	// removed .spec.template.spec.containers[name="web"].env[name="LOG_LEVEL"].value "info" -> nothing
	// set .spec.template.spec.containers[name="web"].image "shop/web:1.4.0" -> "shop/web:1.5.0"
}
