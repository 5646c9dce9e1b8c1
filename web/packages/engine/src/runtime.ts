// The engine as it is: requests and responses are JSON in UTF-8, as the structs of
// internal/app/playground say. Most programs want a Lab.
import define, { type Scope } from "./go.js";

/** The engine has ended, as where an object nests too deep for the stack. A new one starts by itself. */
export class EngineStoppedError extends Error {
  override readonly name = "EngineStoppedError";
}

/** scope is what the Go program sees of the world. The page's own global object stays as it is. */
function scope(): Scope {
  const { Object, Array, Uint8Array, Date, Error, TextEncoder, TextDecoder, crypto, performance } = globalThis;
  const made = { Object, Array, Uint8Array, Date, Error, TextEncoder, TextDecoder, crypto, performance };
  define(made);
  return made as unknown as Scope;
}

/** Runtime is one running engine. */
export class Runtime {
  readonly #module: WebAssembly.Module;
  readonly #catalog: Uint8Array;
  #scope: Scope | undefined;
  #ready: Promise<void>;

  private constructor(module: WebAssembly.Module, catalog: Uint8Array) {
    this.#module = module;
    this.#catalog = catalog;
    this.#ready = this.#begin();
  }

  /** start runs the engine of a compiled module with the catalog of the built-in kinds. */
  static async start(module: WebAssembly.Module, catalog: Uint8Array): Promise<Runtime> {
    const runtime = new Runtime(module, catalog);
    await runtime.#ready;
    return runtime;
  }

  /** ready is settled when the engine can be asked, which it can at once but after an EngineStoppedError. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  async #begin(): Promise<void> {
    const own = scope();
    own.patchlabCatalog = this.#catalog;
    const go = new own.Go();
    const instance = await WebAssembly.instantiate(this.#module, go.importObject);
    await new Promise<void>((resolve, reject) => {
      own.patchlabReady = resolve;
      go.run(instance).then(() => reject(new EngineStoppedError("the engine has ended")), reject);
    });
    this.#scope = own;
  }

  /** answer answers one request. It throws EngineStoppedError where the engine ends, and goes on with a new one. */
  answer(request: Uint8Array): Uint8Array {
    if (!this.#scope) throw new EngineStoppedError("The engine is being started anew: wait for ready.");
    try {
      return this.#scope.patchlab!(request);
    } catch (error) {
      this.#scope = undefined;
      this.#ready = this.#begin();
      throw new EngineStoppedError(`The engine could not follow this and was started anew: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** idle lets the engine free memory, which takes longer than most answers. */
  idle(): void {
    this.#scope?.patchlabIdle?.();
  }
}
