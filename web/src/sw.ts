// The service worker: it keeps the page's files, so that it works offline once
// loaded. scripts/finish.mjs puts the list of the files in here.
declare const self: ServiceWorkerGlobalScope;
declare const PATCHLAB_FILES: { name: string; files: string[]; later: Record<string, string> };

const { name, files, later } = PATCHLAB_FILES;

/** Files whose names change with what is in them are taken from the browser's cache, where the page has put them. */
const fresh = (file: string): Request => new Request(file, file.startsWith("./assets/") ? {} : { cache: "reload" });

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(files.map(fresh))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const mine = (key: string) => key.startsWith("patchlab-") && key !== name;
  event.waitUntil(caches.keys().then((keys) => Promise.all(keys.filter(mine).map((key) => caches.delete(key)))).then(() => self.clients.claim()));
});

// A page tells which larger engine it has loaded, by the name that the list has for it. It
// is kept from then on: it is loaded where that is no burden, or where somebody asks for it.
self.addEventListener("message", (event) => {
  const file = later[event.data as string];
  if (!file) return;
  const keep = async (cache: Cache) => (await cache.match(file)) ?? cache.add(fresh(file));
  event.waitUntil(caches.open(name).then(keep));
});

/** form is the address of the page as it is kept: embedded, it has another policy of who may frame it. */
const form = (url: URL): string => (url.searchParams.has("embed") ? "./?embed" : "./");

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  const kept = async (cache: Cache) => (request.mode === "navigate" && url.pathname.endsWith("/") ? cache.match(form(url)) : cache.match(request, { ignoreSearch: true }));
  event.respondWith(caches.open(name).then(async (cache) => (await kept(cache)) ?? fetch(request)));
});

export {};
