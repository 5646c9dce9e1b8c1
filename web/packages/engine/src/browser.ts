import { Lab, type LabOptions } from "./lab.js";
import { catalogURL, engineURL } from "./place.js";
import { Runtime } from "./runtime.js";

export * from "./lab.js";

/** LoadOptions are the options of a Lab, and the locations of the engine's files. */
export interface LoadOptions extends LabOptions {
  /** The engine's WebAssembly module or its address. The default is engine.wasm beside this module. */
  engine?: URL | string | WebAssembly.Module;
  /** The catalog of the built-in kinds or its address. The default is catalog.bin beside this module. */
  catalog?: URL | string | Uint8Array;
}

async function get(file: URL | string): Promise<Response> {
  const response = await fetch(file);
  if (!response.ok)
    throw new Error(
      `the engine could not be loaded: the host answers ${response.status} for ${response.url}; see "Bundlers" in the README of @patchlab/engine`,
    );
  return response;
}

/** compile compiles a module while it is being downloaded. It sets the content type itself, for hosts that do not know .wasm. */
async function compile(engine: URL | string): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(
    new Response((await get(engine)).body, { headers: { "Content-Type": "application/wasm" } }),
  );
}

/** load loads the engine and returns a Lab. */
export async function load({ engine = engineURL, catalog = catalogURL, ...options }: LoadOptions = {}): Promise<Lab> {
  const [module, kinds] = await Promise.all([
    engine instanceof WebAssembly.Module ? engine : compile(engine),
    catalog instanceof Uint8Array
      ? catalog
      : get(catalog).then(async (response) => new Uint8Array(await response.arrayBuffer())),
  ]);
  return Lab.open(await Runtime.start(module, kinds), options);
}
