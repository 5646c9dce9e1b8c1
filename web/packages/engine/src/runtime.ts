// The low-level interface of the engine. Requests and responses are JSON in UTF-8, as the
// structs in internal/app/playground define. Most programs should use Lab instead.
import define, { type Scope } from "./go.js";

/** The engine has exited, for example because an object is nested too deeply for the stack. A new one starts automatically. */
export class EngineStoppedError extends Error {
  override readonly name = "EngineStoppedError";
}

/** scope is the Go program's global object. The page's own global object is not modified. */
function scope(): Scope {
  const { Object, Array, Uint8Array, Date, Error, TextEncoder, TextDecoder, crypto, performance } = globalThis;
  const made = { Object, Array, Uint8Array, Date, Error, TextEncoder, TextDecoder, crypto, performance };
  define(made);
  return made as unknown as Scope;
}

/** A Runtime is a running engine, which is restarted if it exits. */
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

  /** ready resolves when the engine can process requests: immediately, except after an EngineStoppedError. */
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

  /** answer processes a request. It throws EngineStoppedError if the engine exits, and starts a new one. */
  answer(request: Uint8Array): Uint8Array {
    if (!this.#scope) throw new EngineStoppedError("The engine is being started anew: wait for ready.");
    try {
      return this.#scope.patchlab!(request);
    } catch (error) {
      this.#scope = undefined;
      this.#ready = this.#begin();
      throw new EngineStoppedError(
        `The engine could not follow this and was started anew: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  /** idle lets the engine free memory, which takes longer than most requests. */
  idle(): void {
    this.#scope?.patchlabIdle?.();
  }
}
