#!/bin/sh
# The engine compiled to WebAssembly, under Node, answers the recordings of
# kube-apiserver as the native one does. The page's first engine is built without the
# validation of built-in kinds and some calls, and no engine has watches and selectors (tag watches); the recordings
# and other tests ask for them.
set -eu
cd "$(dirname "$0")/../.."
root=$(go env GOROOT)
GOOS=js GOARCH=wasm go test -tags complete,watches -exec "$root/lib/wasm/go_js_wasm_exec" -run '^TestRecordings$' ./cluster
GOOS=js GOARCH=wasm go test -exec "$root/lib/wasm/go_js_wasm_exec" -run '^Test(Run|Line|InvalidStep)' ./internal/app/playground
GOOS=js GOARCH=wasm go test -tags complete -exec "$root/lib/wasm/go_js_wasm_exec" -run '^Test(Examples|PatchesOf|Ways)' ./internal/app/playground
