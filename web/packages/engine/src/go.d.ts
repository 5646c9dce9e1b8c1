// go.js is written by scripts/engine.sh: the support code that Go has for its
// programs in JavaScript, as a function of the scope that the program runs in.

/** What a Go program sees as the global object. */
export interface Scope {
  Go: new () => GoProgram;
  patchlabCatalog?: Uint8Array;
  patchlab?: (request: Uint8Array) => Uint8Array;
  patchlabIdle?: () => void;
  patchlabReady?: () => void;
  [name: string]: unknown;
}

export interface GoProgram {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** Defines Go in the scope. */
export default function define(scope: object): void;
