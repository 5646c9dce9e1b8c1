/** The name of a worker whose files are kept by the service worker, so that it shows no progress of loading them. */
export const keptName = "patchlab engine, kept";
