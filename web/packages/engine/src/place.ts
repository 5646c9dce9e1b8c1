/** The address of engine.wasm beside this module, in a form that bundlers recognize. */
export const engineURL = new URL("./engine.wasm", import.meta.url);

/** The address of the catalog of the built-in kinds. */
export const catalogURL = new URL("./catalog.bin", import.meta.url);
