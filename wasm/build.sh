#!/bin/sh
# Builds a command for a page: build.sh FOLDER FILE [TAGS [INLINED…]]. FOLDER is that of
# the command in this repository, in whichever of its modules. Functions are not
# inlined, which makes the compressed module a seventh smaller, except in the packages
# INLINED. The catalog of the built-in kinds is left out where TAGS has catalogfile. Then
# wasm/pack joins the data segments and removes files and lines of instructions. Without
# the commit in it, the module is the same in each clone: compressed sizes differ by up to
# 2 KB with every byte that moves.
set -eu
cd "$(dirname "$0")/.."
folder=$1
file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
tags=${3:-}
shift $(($# < 3 ? $# : 3))
for inlined in "$@"; do
  set -- "$@" "-gcflags=$inlined="
  shift
done
(cd "$folder" && GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -tags "$tags" -ldflags '-s -w -buildid=' -gcflags=all=-l "$@" -o "$file" .)
go run ./wasm/pack "$file"
