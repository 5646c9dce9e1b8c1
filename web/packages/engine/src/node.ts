import { readFile } from "node:fs/promises";
import type { LoadOptions } from "./browser.js";
import { Lab } from "./lab.js";
import { catalogURL, engineURL } from "./place.js";
import { Runtime } from "./runtime.js";

export * from "./lab.js";
export type { LoadOptions };

/**
 * read reads a file by its path or its address, which import.meta.resolve returns as a string. A bundler may have
 * moved this module without the files beside it.
 */
async function read(file: URL | string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await readFile(typeof file === "string" && file.startsWith("file:") ? new URL(file) : file);
  } catch (cause) {
    throw new Error(
      `the engine could not be loaded: ${(cause as Error).message}; see "Bundlers" in the README of @patchlab/engine`,
      { cause },
    );
  }
}

/** load loads the engine and returns a Lab. */
export async function load({ engine = engineURL, catalog = catalogURL, ...options }: LoadOptions = {}): Promise<Lab> {
  const [module, kinds] = await Promise.all([
    engine instanceof WebAssembly.Module ? engine : read(engine).then((bytes) => WebAssembly.compile(bytes)),
    catalog instanceof Uint8Array ? catalog : read(catalog),
  ]);
  return Lab.open(await Runtime.start(module, kinds), options);
}
