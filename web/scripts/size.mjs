// Prints what the page weighs, compressed with brotli as hosts do, and fails where
// that is more than budget.json allows.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const dist = new URL("../dist/", import.meta.url).pathname;
const embed = new URL("../embed/dist/", import.meta.url).pathname;
const budget = JSON.parse(readFileSync(new URL("../budget.json", import.meta.url)));

const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((f) => f.isFile())
  .map((f) => join(f.parentPath, f.name));
// finish.mjs has compressed each file, which takes minutes, and nothing has changed since.
const weigh = (file) => ({
  raw: statSync(file).size,
  brotli: statSync(`${join(embed, file.slice(dist.length))}.br`).size,
});

const engines = []; // the first, the complete one, which is the npm package's, and the one with rules
let page = 0;
for (const file of files) {
  const { raw, brotli: compressed } = weigh(file);
  console.log(`${String(raw).padStart(9)} ${String(compressed).padStart(8)}  ${file.slice(dist.length)}`);
  if (file.endsWith(".wasm")) engines.push({ raw, brotli: compressed });
  else page += compressed;
}
const [first, complete, rules, ...more] = engines.sort((a, b) => a.raw - b.raw).map((e) => e.brotli);
console.log(
  `the first engine ${first} of ${budget.engineBrotliBytes} bytes, all else ${page} of ${budget.pageBrotliBytes} (brotli)`,
);
console.log(`the complete engine, which comes later, ${complete} of ${budget.completeBrotliBytes} bytes (brotli)`);
console.log(
  `the engine that evaluates CEL rules, which comes when it is asked for, ${rules} of ${budget.rulesBrotliBytes} bytes (brotli)`,
);
if (
  !(
    first <= budget.engineBrotliBytes &&
    complete <= budget.completeBrotliBytes &&
    rules <= budget.rulesBrotliBytes &&
    page <= budget.pageBrotliBytes
  ) ||
  more.length > 0
) {
  console.error("the page weighs more than web/budget.json allows");
  process.exit(1);
}
