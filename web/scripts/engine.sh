#!/bin/sh
# Builds the engine for the page: web/generated/. Functions are not inlined, which
# makes the compressed module a seventh smaller.
set -eu
cd "$(dirname "$0")/../.."
out=web/generated
mkdir -p "$out"
GOOS=js GOARCH=wasm go build -trimpath -ldflags '-s -w -buildid=' \
  -gcflags=all=-l \
  -o "$out/engine.wasm" ./wasm
go run ./wasm/slim "$out/engine.wasm"
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$out/wasm_exec.js"
printf '// Written by scripts/engine.sh.\nexport const engineBytes = %s;\n' "$(wc -c < "$out/engine.wasm" | tr -d ' ')" > "$out/engine.ts"
