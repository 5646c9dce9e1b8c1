// scripts/engine.sh generates go.js: Go's support code for programs in WebAssembly, as a
// function of the object that replaces the global object.

/** The object that the Go program uses as its global object. */
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

/** Defines the class Go in the scope. */
export default function define(scope: object): void;
