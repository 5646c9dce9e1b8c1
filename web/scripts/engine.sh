#!/bin/sh
# Builds the engine for the page (web/generated), and the npm package of the engine
# (web/packages/engine/dist), whose module answers questions about single objects and
# validates built-in kinds too.
set -eu
cd "$(dirname "$0")/../.."
page=web/generated
package=web/packages/engine
mkdir -p "$page" "$package/dist"
sh wasm/build.sh ./wasm "$page/engine.wasm"
sh wasm/build.sh ./wasm "$package/dist/engine.wasm" lab,validation
printf '// Written by scripts/engine.sh.\nexport const engineBytes = %s;\n' "$(wc -c < "$page/engine.wasm" | tr -d ' ')" > "$page/engine.ts"

# Go's support code is a script that works on the global object. As a function of the
# object that it is to work on instead, it leaves the global one alone.
{
  echo 'export default function define(globalThis) {'
  echo '// wasm_exec.js writes by the name fs what the program prints.'
  echo 'const fs = { writeSync: (fd, bytes) => globalThis.fs.writeSync(fd, bytes) };'
  cat "$(go env GOROOT)/lib/wasm/wasm_exec.js"
  echo '}'
} > "$package/dist/go.js"
cp LICENSE "$package/LICENSE"
{
  echo "Go"
  cat "$(go env GOROOT)/LICENSE"
  for module in $(GOOS=js GOARCH=wasm go list -tags lab,validation -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}' ./wasm | sort -u); do
    printf '\n%s\n' "$module"
    cat "$(go list -m -f '{{.Dir}}' "$module")/LICENSE"
  done
} > "$package/dist/LICENSES.txt"
cd web && node_modules/.bin/tsc -p packages/engine
