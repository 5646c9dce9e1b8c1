#!/bin/sh
# Builds the engine for the page: web/generated/.
set -eu
cd "$(dirname "$0")/../.."
out=web/generated
mkdir -p "$out"
sh wasm/build.sh ./wasm "$out/engine.wasm"
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$out/wasm_exec.js"
printf '// Written by scripts/engine.sh.\nexport const engineBytes = %s;\n' "$(wc -c < "$out/engine.wasm" | tr -d ' ')" > "$out/engine.ts"
