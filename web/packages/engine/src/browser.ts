import { Lab, type LabOptions } from "./lab.js";
import { engineURL } from "./place.js";
import { Runtime } from "./runtime.js";

export * from "./lab.js";

/** LoadOptions are those of a Lab, and where the engine is. */
export interface LoadOptions extends LabOptions {
  /** The engine's module, or where it is loaded from: engine.wasm beside this module by default. */
  engine?: URL | string | WebAssembly.Module;
}

async function compile(engine: URL | string): Promise<WebAssembly.Module> {
  const response = await fetch(engine);
  if (!response.ok) throw new Error(`the engine could not be loaded: the host answers ${response.status} for ${response.url}`);
  // The type is set here, so that a host that does not know .wasm serves as well.
  return WebAssembly.compileStreaming(new Response(response.body, { headers: { "Content-Type": "application/wasm" } }));
}

/** load loads the engine and returns a Lab. */
export async function load({ engine = engineURL, ...options }: LoadOptions = {}): Promise<Lab> {
  const module = engine instanceof WebAssembly.Module ? engine : await compile(engine);
  return Lab.open(await Runtime.start(module), options);
}
