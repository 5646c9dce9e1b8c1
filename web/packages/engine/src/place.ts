/** Where engine.wasm is, beside this module. Bundlers that know this form take the file along. */
export const engineURL = new URL("./engine.wasm", import.meta.url);

/** Where the catalog of the built-in kinds is. */
export const catalogURL = new URL("./catalog.bin", import.meta.url);
