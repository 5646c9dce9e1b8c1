// The service worker, which caches the page's files so that the page works offline.
// scripts/finish.mjs inserts the list of files.
declare const self: ServiceWorkerGlobalScope;
declare const PATCHLAB_FILES: { name: string; files: string[]; later: Record<string, string> };

const { name, files, later } = PATCHLAB_FILES;

/** Files with a hash in their names may come from the browser's cache, where the page has put them. */
const fresh = (file: string): Request => new Request(file, file.startsWith("./assets/") ? {} : { cache: "reload" });

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(name)
      .then((cache) => cache.addAll(files.map(fresh)))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const mine = (key: string) => key.startsWith("patchlab-") && key !== name;
  event.waitUntil(
    caches
      .keys()
      .then((keys) => Promise.all(keys.filter(mine).map((key) => caches.delete(key))))
      .then(() => self.clients.claim()),
  );
});

// A page sends the name of a larger engine that it has loaded. The engine is cached only then,
// because not every visitor needs it.
self.addEventListener("message", (event) => {
  const file = later[event.data as string];
  if (!file) return;
  const keep = async (cache: Cache) => (await cache.match(file)) ?? cache.add(fresh(file));
  event.waitUntil(caches.open(name).then(keep));
});

/** form returns the address under which the page is cached. The embedded page is cached separately, because its frame-ancestors policy differs. */
const form = (url: URL): string => (url.searchParams.has("embed") ? "./?embed" : "./");

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  const kept = async (cache: Cache) =>
    request.mode === "navigate" && url.pathname.endsWith("/")
      ? cache.match(form(url))
      : cache.match(request, { ignoreSearch: true });
  event.respondWith(caches.open(name).then(async (cache) => (await kept(cache)) ?? fetch(request)));
});

export {};
