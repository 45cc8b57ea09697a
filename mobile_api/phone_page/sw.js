/**
 * Keeps the page's files, so that the next visit needs the network for the sign-in only. Files have
 * hashed names and never change; the page itself is fetched anew whenever that is possible.
 * Requests of the API never pass through here.
 *
 * Each build has a keeper and a cache of its own. A newer keeper waits until no page of the older
 * build is open any more: such a page may still need a file that the service has no longer.
 */

/* global __FILES__, __VERSION__ */
const OURS = "thenar-page-";

const CACHE = `${OURS}${__VERSION__}`;

const page = new URL("../m", self.location).href;

const files = new Set(__FILES__.map((name) => new URL(name, self.location).href));

self.addEventListener("install", (event) => {
  const fill = async () => (await caches.open(CACHE)).addAll([page, ...files]);
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  const clear = async () => {
    // Other pages of the same host keep caches, too.
    const ours = (await caches.keys()).filter((name) => name.startsWith(OURS));
    await Promise.all(ours.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clear());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = request.url.split(/[?#]/)[0];
  if (request.method !== "GET") return;
  if (url === page) event.respondWith(fetch(request).catch(() => own(page)));
  else if (files.has(url)) event.respondWith(kept(request));
});

const own = async (request) => (await caches.open(CACHE)).match(request);

async function kept(request) {
  return (await own(request)) ?? fetch(request);
}
