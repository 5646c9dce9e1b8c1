#!/bin/sh
# Builds a command for a page: build.sh PACKAGE FILE [FLAG...]. Functions are not
# inlined, which makes the compressed module a seventh smaller, but in packages that
# a flag -gcflags=PACKAGE= names.
set -eu
cd "$(dirname "$0")/.."
package=$1
file=$2
shift 2
GOOS=js GOARCH=wasm go build -trimpath -ldflags '-s -w -buildid=' -gcflags=all=-l "$@" -o "$file" "$package"
go run ./wasm/slim "$file"
