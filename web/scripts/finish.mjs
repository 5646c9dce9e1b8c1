// After vite: puts the list of the page's files into the service worker, with a
// name that changes with any of them, and makes the copy that goes into the binary.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url).pathname;
const embed = new URL("../embed/", import.meta.url).pathname;

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((f) => (f.isDirectory() ? files(join(folder, f.name)) : [join(folder, f.name)]));
}

const all = files(dist).map((f) => relative(dist, f)).filter((f) => f !== "sw.js").sort();
const hash = createHash("sha256");
for (const file of all) hash.update(file).update(readFileSync(join(dist, file)));
// The complete engine is loaded, and kept, later than the rest. It is the largest module.
const later = all.filter((f) => f.endsWith(".wasm")).sort((a, b) => statSync(join(dist, a)).size - statSync(join(dist, b)).size).slice(1);
const address = (f) => `./${f}`;
const list = { name: `patchlab-${hash.digest("hex").slice(0, 16)}`, files: ["./", "./?embed", ...all.filter((f) => !later.includes(f)).map(address)], later: later.map(address) };

const worker = join(dist, "sw.js");
const source = readFileSync(worker, "utf8");
if (!source.includes("PATCHLAB_FILES")) throw new Error("sw.js has no place for the list of files");
writeFileSync(worker, source.replaceAll("PATCHLAB_FILES", JSON.stringify(list)));

// The binary holds each file with brotli, as browsers take it, and with gzip for others.
const brotli = (data) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: data.length } });
for (const old of readdirSync(embed)) if (old !== "README.md") rmSync(join(embed, old), { recursive: true });
for (const file of [...all, "sw.js"]) {
  const data = readFileSync(join(dist, file));
  const target = join(embed, "dist", file);
  mkdirSync(join(target, ".."), { recursive: true });
  writeFileSync(`${target}.br`, brotli(data));
  writeFileSync(`${target}.gz`, gzipSync(data, { level: 9 }));
}
