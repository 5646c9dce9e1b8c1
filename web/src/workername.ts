/** The name of a worker whose files the service worker has cached, so that it reports no progress. */
export const keptName = "patchlab engine, kept";
