#!/bin/sh
# Builds the page's first engine (web/generated), and the npm package of the engine
# (web/packages/engine/dist), whose module is the page's complete engine: it also answers
# questions about single objects and what a visitor asks for by a button, and validates
# built-in kinds. A third one (web/generated), which is loaded where a visitor wants custom
# resources to be checked by their CEL rules, is the complete one with kube-apiserver's own
# evaluation of rules. All take the catalog of the built-in kinds from a file.
set -eu
cd "$(dirname "$0")/../.."
page=web/generated
package=web/packages/engine
mkdir -p "$page" "$package/dist"
sh wasm/build.sh ./wasm "$page/engine.wasm" catalogfile
project=$(go list -m)
sh wasm/build.sh ./wasm "$package/dist/engine.wasm" catalogfile,lab,complete "$project/document"
sh wasm/build.sh admission/wasm "$page/rules.wasm" catalogfile,lab,complete "$project/document"
cp schema/catalog.bin "$package/dist/catalog.bin"
size() { wc -c < "$1" | tr -d ' '; }
cat > "$page/engine.ts" << END
// Written by scripts/engine.sh: the sizes of what is loaded.
export const firstBytes = $(size "$page/engine.wasm");
export const completeBytes = $(size "$package/dist/engine.wasm");
export const rulesBytes = $(size "$page/rules.wasm");
END

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
  for module in $(GOOS=js GOARCH=wasm go list -tags catalogfile,lab,complete -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}' ./wasm | sort -u); do
    printf '\n%s\n' "$module"
    cat "$(go list -m -f '{{.Dir}}' "$module")/LICENSE"
  done
} > "$package/dist/LICENSES.txt"
cd web && node_modules/.bin/tsc -p packages/engine
cd ..
node web/scripts/prepare.mjs
