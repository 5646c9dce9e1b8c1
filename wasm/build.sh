#!/bin/sh
# Builds a command for a page: build.sh PACKAGE FILE [TAGS]. Functions are not inlined,
# which makes the compressed module a seventh smaller, except in the packages in which
# an answer spends most of its time. The data segments are joined, see wasm/segments.
set -eu
cd "$(dirname "$0")/.."
package=$1
file=$2
tags=${3:-}
project=$(go list -m)
set --
for inlined in internal/abi internal/runtime/atomic internal/runtime/maps internal/runtime/math internal/runtime/sys \
  "$project/document" "$project/internal/engine/fieldset"; do
  set -- "$@" "-gcflags=$inlined="
done
GOOS=js GOARCH=wasm go build -trimpath -tags "$tags" -ldflags '-s -w -buildid=' -gcflags=all=-l "$@" -o "$file" "$package"
go run ./wasm/segments "$file"
