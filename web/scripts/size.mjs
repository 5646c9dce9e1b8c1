// Prints what the page weighs, compressed with brotli as hosts do, and fails where
// that is more than budget.json allows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const dist = new URL("../dist/", import.meta.url).pathname;
const budget = JSON.parse(readFileSync(new URL("../budget.json", import.meta.url)));

const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).map((f) => join(f.parentPath, f.name));
const weigh = (file) => {
  const data = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: data.length };
  return { raw: data.length, brotli: brotliCompressSync(data, { params }).length };
};

const engines = []; // the first, and the complete one, which is the npm package's
let page = 0;
for (const file of files) {
  const { raw, brotli } = weigh(file);
  console.log(`${String(raw).padStart(9)} ${String(brotli).padStart(8)}  ${file.slice(dist.length)}`);
  if (file.endsWith(".wasm")) engines.push({ raw, brotli });
  else page += brotli;
}
const [first, complete, ...more] = engines.sort((a, b) => a.raw - b.raw).map((e) => e.brotli);
console.log(`the first engine ${first} of ${budget.engineBrotliBytes} bytes, all else ${page} of ${budget.pageBrotliBytes} (brotli)`);
console.log(`the complete engine, which comes later, ${complete} of ${budget.completeBrotliBytes} bytes (brotli)`);
if (!(first <= budget.engineBrotliBytes && complete <= budget.completeBrotliBytes && page <= budget.pageBrotliBytes) || more.length > 0) {
  console.error("the page weighs more than web/budget.json allows");
  process.exit(1);
}
