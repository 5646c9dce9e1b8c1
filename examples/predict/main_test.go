package main

func Example() {
	main()
	// Output:
	// {
	//   "conflicts": [
	//     {
	//       "manager": "autoscaler",
	//       "operation": "Update",
	//       "apiVersion": "apps/v1",
	//       "subresource": "scale",
	//       "path": ".spec.replicas",
	//       "live": 6,
	//       "wanted": 2
	//     }
	//   ]
	// }
	// by force:
	// taken over .spec.replicas
	// removed .spec.template.spec.containers[name="web"].env[name="LOG_LEVEL"].name
	// removed .spec.template.spec.containers[name="web"].env[name="LOG_LEVEL"].value
	// set .spec.template.spec.containers[name="web"].image
}
