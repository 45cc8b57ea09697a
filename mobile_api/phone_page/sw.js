/**
 * Service worker: caches the page's files, so that the next visit needs the network only for the
 * sign-in. Files have hashed names and never change; the page itself is fetched when possible.
 * API requests do not pass through here.
 *
 * Of the languages, the person's own are kept, and English.
 *
 * Shows that a new phone asks for trust, when the browser's push service delivers a message; gets
 * another subscription where the browser ended the one that it had.
 *
 * Each build has its own worker and cache. A newer worker waits until no page of the older build
 * is open: such a page may still need a file that the service no longer has.
 */

import { Client } from "./service/client.js";
import { deviceKey, savedNotification } from "./service/device_key.js";
import { isNotified } from "./service/subscription.js";

/* global __FILES__, __VERSION__ */
const OURS = "thenar-page-";

const CACHE = `${OURS}${__VERSION__}`;

const page = new URL("../m", self.location).href;

const files = new Set(__FILES__.map((name) => new URL(name, self.location).href));

/** Files of languages have names such as de-ABCD2345.js. */
const languageOf = (url) => url.match(/\/([a-z]{2})-\w+\.js$/)?.[1];

const isWanted = (url) =>
  ["en", navigator.language?.slice(0, 2)].includes(languageOf(url) ?? "en");

self.addEventListener("install", (event) => {
  const fill = async () =>
    (await caches.open(CACHE)).addAll([page, ...[...files].filter(isWanted)]);
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  const clear = async () => {
    // Other pages of the same host have caches, too.
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

self.addEventListener("push", (event) => event.waitUntil(tell()));

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew()));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(page));
});

async function tell() {
  const { title, body } = (await savedNotification()) ?? { title: "Thenar" };
  await self.registration.showNotification(title, { body, tag: "request" });
}

async function renew() {
  const api = new URL("../mobile/v1", self.location).href;
  const client = new Client(api, await deviceKey());
  const { push } = await client.get("/account/phone");
  if (push) await isNotified(client, push, self.registration);
}

const own = async (request) => (await caches.open(CACHE)).match(request);

async function kept(request) {
  return (await own(request)) ?? fetch(request);
}
