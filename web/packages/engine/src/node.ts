import { readFile } from "node:fs/promises";
import type { LoadOptions } from "./browser.js";
import { Lab } from "./lab.js";
import { catalogURL, engineURL } from "./place.js";
import { Runtime } from "./runtime.js";

export * from "./lab.js";
export type { LoadOptions };

/** read reads a file by its path or its address, which import.meta.resolve returns as a string. */
const read = (file: URL | string): Promise<Uint8Array<ArrayBuffer>> => readFile(typeof file === "string" && file.startsWith("file:") ? new URL(file) : file);

/** load loads the engine and returns a Lab. */
export async function load({ engine = engineURL, catalog = catalogURL, ...options }: LoadOptions = {}): Promise<Lab> {
  const [module, kinds] = await Promise.all([
    engine instanceof WebAssembly.Module ? engine : read(engine).then((bytes) => WebAssembly.compile(bytes)),
    catalog instanceof Uint8Array ? catalog : read(catalog),
  ]);
  return Lab.open(await Runtime.start(module, kinds), options);
}
