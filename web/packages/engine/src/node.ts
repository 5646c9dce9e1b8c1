import { readFile } from "node:fs/promises";
import type { LoadOptions } from "./browser.js";
import { Lab } from "./lab.js";
import { engineURL } from "./place.js";
import { Runtime } from "./runtime.js";

export * from "./lab.js";
export type { LoadOptions };

/** load loads the engine and returns a Lab. */
export async function load({ engine = engineURL, ...options }: LoadOptions = {}): Promise<Lab> {
  const module = engine instanceof WebAssembly.Module ? engine : await WebAssembly.compile(await readFile(engine));
  return Lab.open(await Runtime.start(module), options);
}
