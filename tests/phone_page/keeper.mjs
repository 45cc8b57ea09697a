// Plays the browser before the page's own service worker.

/** Let a build's worker take over; return which of the host's caches are left. */
export async function takeOver(version, names) {
  const left = new Set(names);
  const listeners = {};
  globalThis.__FILES__ = [];
  globalThis.__VERSION__ = version;
  globalThis.caches = { keys: async () => [...left], delete: async (name) => left.delete(name) };
  globalThis.self = {
    location: "https://auth.example/static/sw.js",
    addEventListener: (name, listener) => (listeners[name] = listener),
    clients: { claim: async () => {} },
  };
  await import("../../mobile_api/phone_page/sw.js");
  await new Promise((resolve) => listeners.activate({ waitUntil: resolve }));
  return [...left];
}
