/**
 * What this browser keeps: a P-256 key that cannot be taken out, and whether a palm was enrolled
 * with it. Kept in IndexedDB; some browsers forget it after a week without a visit.
 */

const [DATABASE, STORE] = ["thenar", "device"];

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function inStore(mode, use) {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const request = use(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

const read = (name) => inStore("readonly", (store) => store.get(name));

const write = (name, value) => inStore("readwrite", (store) => store.put(value, name));

/**
 * Return the key pair of this browser; make one the first time. Where nothing can be kept, as in
 * some private windows, it lasts as long as the page.
 */
export async function deviceKey() {
  const kept = await read("key").catch(() => null);
  if (kept) return kept;
  const pair = await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);
  // Added, not put: of two pages that begin at once, the second takes the first one's key.
  await inStore("readwrite", (store) => store.add(pair, "key")).catch(() => {});
  return (await read("key").catch(() => null)) ?? pair;
}

const isNoted = (name) => read(name).then((is) => is === true, () => false);

const note = (name) => write(name, true).catch(() => {});

/** Whether a palm was enrolled, or recognised, with this key. */
export const isEnrolled = () => isNoted("enrolled");

export const noteEnrolled = () => note("enrolled");

/** Whether the service knows this key. */
export const isRegistered = () => isNoted("registered");

export const noteRegistered = () => note("registered");

/**
 * What is known of the screen lock: "declined", or the passkey that vouched for this key last;
 * undefined before the person was asked.
 *
 * @returns {Promise<"declined"|{rpId: string, credentialId: string}|undefined>}
 */
export const keptScreenLock = () => read("screen_lock").catch(() => undefined);

export const noteScreenLock = (said) => write("screen_lock", said).catch(() => {});

/** Forget the key: nobody can sign as this device again. */
export const forgetDevice = () => inStore("readwrite", (store) => store.clear());
