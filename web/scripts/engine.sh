#!/bin/sh
# Builds the engine for the page: web/generated/.
set -eu
cd "$(dirname "$0")/../.."
out=web/generated
mkdir -p "$out"
# What a step spends most of its time in is inlined: a third of the time for 0.07 MB.
project=$(go list -m)
set --
for package in runtime internal/abi internal/runtime/atomic internal/runtime/maps internal/runtime/math internal/runtime/sys cmp slices \
  "$project/document" "$project/explain" "$project/internal/engine/fieldset" "$project/internal/app/playground" "$project/internal/engine/structured"; do
  set -- "$@" "-gcflags=$package="
done
sh wasm/build.sh ./wasm "$out/engine.wasm" "$@"
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$out/wasm_exec.js"
printf '// Written by scripts/engine.sh.\nexport const engineBytes = %s;\n' "$(wc -c < "$out/engine.wasm" | tr -d ' ')" > "$out/engine.ts"
