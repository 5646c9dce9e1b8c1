#!/bin/sh
# Writes messages.txt: the messages of the libraries that the module test uses, and those of the
# newest supported version of Kubernetes.
set -e
newest=v0.37.2
file=$PWD/messages.txt
cd ../../../test
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
cp go.mod go.sum "$dir"
go get -modfile="$dir/go.mod" k8s.io/api@$newest k8s.io/apiextensions-apiserver@$newest k8s.io/client-go@$newest k8s.io/kube-aggregator@$newest
go run -modfile="$dir/go.mod" ./cmd/wiremessages >"$dir/newest.txt"
go run ./cmd/wiremessages "$dir/newest.txt" >"$file"
