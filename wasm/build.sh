#!/bin/sh
# Builds a command for a page: build.sh PACKAGE FILE. Functions are not inlined,
# which makes the compressed module a seventh smaller.
set -eu
cd "$(dirname "$0")/.."
GOOS=js GOARCH=wasm go build -trimpath -ldflags '-s -w -buildid=' -gcflags=all=-l -o "$2" "$1"
go run ./wasm/slim "$2"
