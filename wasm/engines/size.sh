#!/bin/sh
# Builds the engines for a page, prints what they weigh, fails where that is more
# than 1,320,000 bytes with brotli, and runs them under Node.
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sh wasm/build.sh ./wasm/engines "$dir/engines.wasm"
node --input-type=module -e '
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { brotli } from "./web/scripts/brotli.mjs";
const data = readFileSync(process.argv[1]), most = 1320000;
const { length } = await brotli(data);
console.log(`engines: ${data.length} bytes, gzip ${gzipSync(data, { level: 9 }).length}, brotli ${length} of ${most}`);
if (length > most) console.error("the engines weigh too much for a page");
process.exit(length > most ? 1 : 0);
' "$dir/engines.wasm"
node --stack-size=8192 "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$dir/engines.wasm" testdata/bench/deployment.json
