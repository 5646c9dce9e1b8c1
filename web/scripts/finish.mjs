// After vite: puts the list of the page's files into the service worker, with a
// name that changes with any of them, and makes the copy that goes into the binary.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { brotli } from "./brotli.mjs";

const dist = new URL("../dist/", import.meta.url).pathname;
const embed = new URL("../embed/", import.meta.url).pathname;

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((f) =>
    f.isDirectory() ? files(join(folder, f.name)) : [join(folder, f.name)],
  );
}

const all = files(dist)
  .map((f) => relative(dist, f))
  .filter((f) => f !== "sw.js")
  .sort();
const hash = createHash("sha256");
for (const file of all) hash.update(file).update(readFileSync(join(dist, file)));
// The complete engine and the one with rules are loaded, and kept, when they are needed.
const [, complete, rules] = all
  .filter((f) => f.endsWith(".wasm"))
  .sort((a, b) => statSync(join(dist, a)).size - statSync(join(dist, b)).size);
const address = (f) => `./${f}`;
const list = {
  name: `patchlab-${hash.digest("hex").slice(0, 16)}`,
  files: ["./", "./?embed", ...all.filter((f) => f !== complete && f !== rules).map(address)],
  later: { complete: address(complete), rules: address(rules) },
};

const worker = join(dist, "sw.js");
const source = readFileSync(worker, "utf8");
if (!source.includes("PATCHLAB_FILES")) throw new Error("sw.js has no place for the list of files");
writeFileSync(worker, source.replaceAll("PATCHLAB_FILES", JSON.stringify(list)));

// The binary holds each file with brotli, as browsers take it, and with gzip for others. It
// holds the engine with rules with brotli only, for gzip would add 10 MB to every program.
for (const old of readdirSync(embed)) if (old !== "README.md") rmSync(join(embed, old), { recursive: true });
const gzipped = promisify(gzip);
// Side by side, because each of the engines takes up to a minute.
await Promise.all(
  [...all, "sw.js"].map(async (file) => {
    const data = readFileSync(join(dist, file));
    const target = join(embed, "dist", file);
    mkdirSync(join(target, ".."), { recursive: true });
    writeFileSync(`${target}.br`, await brotli(data));
    if (file !== rules) writeFileSync(`${target}.gz`, await gzipped(data, { level: 9 }));
  }),
);
