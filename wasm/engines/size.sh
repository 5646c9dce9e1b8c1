#!/bin/sh
# Builds the engines for a page, prints what they weigh, and runs them under Node.
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
GOOS=js GOARCH=wasm go build -trimpath -ldflags '-s -w -buildid=' -gcflags=all=-l -o "$dir/engines.wasm" ./wasm/engines
go run ./wasm/slim "$dir/engines.wasm" >/dev/null
node -e '
const { readFileSync } = require("node:fs"), zlib = require("node:zlib"), c = zlib.constants
const data = readFileSync(process.argv[1])
const br = zlib.brotliCompressSync(data, { params: { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 24, [c.BROTLI_PARAM_SIZE_HINT]: data.length } }).length
console.log(`raw ${data.length}, gzip ${zlib.gzipSync(data, { level: 9 }).length}, brotli ${br} bytes (aimed at 1,200,000 with brotli, refused above 1,250,000)`)
process.exit(br > 1250000 ? 1 : 0)
' "$dir/engines.wasm"
node --stack-size=8192 "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$dir/engines.wasm" testdata/bench/deployment.json
