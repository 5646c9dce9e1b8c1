#!/bin/sh
# A shop
# A command that the API server refuses does not end the script: some steps are meant to fail.

# The namespaces of the objects. The commands fail where the cluster has them.
kubectl create namespace shop

# An object that is there before the first step; uid, resourceVersion and creationTimestamp will be the cluster's own.
kubectl create -f - <<'EOF'
apiVersion: v1
kind: Namespace
metadata:
  name: other
EOF

# An object that is there before the first step; uid, resourceVersion and creationTimestamp will be the cluster's own.
kubectl create -f - <<'EOF'
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      a: b
  template:
    metadata:
      labels:
        a: b
    spec:
      containers:
      - image: i
        name: c
EOF
kubectl replace --subresource=status -f - <<'EOF'
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      a: b
  template:
    metadata:
      labels:
        a: b
    spec:
      containers:
      - image: i
        name: c
status:
  replicas: 1
EOF
kubectl replace -f - <<'EOF'
apiVersion: apps/v1
kind: Deployment
metadata:
  managedFields:
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1:
      f:spec:
        f:replicas: {}
    manager: kubectl
    operation: Apply
  name: web
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      a: b
  template:
    metadata:
      labels:
        a: b
    spec:
      containers:
      - image: i
        name: c
EOF

# Step 1: alice, json-patch
# first
#  second
kubectl patch --type=json --field-manager=alice --namespace=shop deployments.v1.apps/web --patch-file=/dev/stdin <<'EOF'
[{"op": "replace", "path": "/spec/replicas", "value": 3}]
EOF

# Step 2: bob's robot, create
kubectl create '--field-manager=bob'\''s robot' -f - <<'EOF'
{apiVersion: v1, kind: Namespace, metadata: {name: made}}
EOF

# Step 3: alice, update
# left out: it is not known which object the step is for

# Step 4: zoe, merge-patch
kubectl patch --type=merge --field-manager=zoe --subresource=status namespaces/made --patch-file=/dev/stdin <<'EOF'
metadata: {labels: {a: it's}}
EOF

# Step 5: alice, delete
kubectl delete --namespace=shop deployments.v1.apps/web

# Step 6: alice, delete
kubectl delete namespaces/other
