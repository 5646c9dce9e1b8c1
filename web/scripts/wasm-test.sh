#!/bin/sh
# The engine compiled to WebAssembly, under Node, answers the recordings of
# kube-apiserver as the native one does. The page is built without the validation of
# built-in kinds; the recordings ask for it.
set -eu
cd "$(dirname "$0")/../.."
root=$(go env GOROOT)
GOOS=js GOARCH=wasm go test -tags validation -exec "$root/lib/wasm/go_js_wasm_exec" -run '^TestRecordings$' ./cluster
GOOS=js GOARCH=wasm go test -exec "$root/lib/wasm/go_js_wasm_exec" -run '^Test(Run|Ways|ALine|Examples|Four|ABad)' ./internal/app/playground
