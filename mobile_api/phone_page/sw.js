/**
 * Keeps the page's files, so that the next visit needs the network for the sign-in only. Files have
 * hashed names and never change; the page itself is fetched anew whenever that is possible.
 * Requests of the API never pass through here.
 */

/* global __FILES__, __VERSION__ */
const CACHE = `thenar-page-${__VERSION__}`;

const page = new URL("../m", self.location).href;

const files = new Set(__FILES__.map((name) => new URL(name, self.location).href));

self.addEventListener("install", (event) => {
  const fill = async () => (await caches.open(CACHE)).addAll([page, ...files]);
  event.waitUntil(fill().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const clear = async () => {
    const old = (await caches.keys()).filter((name) => name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clear());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = request.url.split(/[?#]/)[0];
  if (request.method !== "GET") return;
  if (url === page) event.respondWith(fetch(request).catch(() => caches.match(page)));
  else if (files.has(url)) event.respondWith(kept(request));
});

async function kept(request) {
  return (await caches.match(request)) ?? fetch(request);
}
