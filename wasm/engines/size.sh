#!/bin/sh
# Builds the engines for a page, prints what they weigh, fails where that is more
# than 1,320,000 bytes with brotli, and runs them under Node.
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sh wasm/build.sh ./wasm/engines "$dir/engines.wasm"
node -e '
const { readFileSync } = require("node:fs"), zlib = require("node:zlib"), c = zlib.constants
const data = readFileSync(process.argv[1]), most = 1320000
const br = zlib.brotliCompressSync(data, { params: { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 24, [c.BROTLI_PARAM_SIZE_HINT]: data.length } }).length
console.log(`engines: ${data.length} bytes, gzip ${zlib.gzipSync(data, { level: 9 }).length}, brotli ${br} of ${most}`)
if (br > most) console.error("the engines weigh too much for a page")
process.exit(br > most ? 1 : 0)
' "$dir/engines.wasm"
node --stack-size=8192 "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$dir/engines.wasm" testdata/bench/deployment.json
