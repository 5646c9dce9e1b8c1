package main

func Example() {
	main()
	// Output:
	// .spec.replicas "autoscaler" with subresource "scale" using apps/v1
	// .spec.template.spec.containers[name="web"].image "gitops"
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   labels:
	//     app: web
	//   name: web
	//   namespace: shop
	// spec:
	//   selector:
	//     matchLabels:
	//       app: web
	//   template:
	//     metadata:
	//       labels:
	//         app: web
	//     spec:
	//       containers:
	//       - env:
	//         - name: LOG_LEVEL
	//           value: info
	//         image: shop/web:1.4.0
	//         name: web
	//         ports:
	//         - containerPort: 8080
	//           name: http
}
