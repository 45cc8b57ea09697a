/**
 * What this browser stores in IndexedDB: a non-extractable P-256 key, and what the service said
 * about it. Some browsers delete it after a week without a visit.
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

/** What could not be stored, as in some private windows: it lasts as long as the page. */
const unstored = new Map();

const read = (name) =>
  inStore("readonly", (store) => store.get(name)).catch(() => unstored.get(name));

const write = (name, value) => inStore("readwrite", (store) => store.put(value, name));

const save = (name, value) => write(name, value).catch(() => unstored.set(name, value));

/**
 * Whether this browser stores anything. Where there are no service workers, as in private windows
 * and some views of other apps, it forgets at its next start.
 */
export const keepsData = () => inStore("readonly", (store) => store.count())
  .then(() => !isSecureContext || "serviceWorker" in navigator, () => false);

/** Return this browser's key pair; create it the first time. */
export async function deviceKey() {
  const kept = await read("key");
  if (kept) return kept;
  const pair = await newKey();
  // add, not put: of two pages that start at once, the second uses the first one's key.
  await inStore("readwrite", (store) => store.add(pair, "key")).catch(() => {});
  return (await read("key")) ?? pair;
}

/** Return a new key pair, not saved yet. */
export const newKey = () => crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"]);

/** The key of a browser that is a station; undefined: it is none. */
export const savedStation = () => read("station");

export const saveStation = (pair) => write("station", pair);

export const forgetStation = () => inStore("readwrite", (store) => store.delete("station"));

const isSaved = async (name) => (await read(name)) === true;

/**
 * Whether the account trusts this phone, as far as known; the service's answers correct it.
 *
 * @returns {Promise<"none"|"new"|"trusted">} none: it belongs to no account.
 */
export const savedTrust = async () => (await keptTrust()) ?? "none";

/** The same; undefined: this phone is new, or the browser deleted what was saved. */
export async function keptTrust() {
  // Earlier pages saved only that a palm was enrolled or recognised.
  const earlier = (await isSaved("enrolled")) ? "trusted" : undefined;
  return (await read("trust")) ?? earlier;
}

export const saveTrust = (trust) => save("trust", trust);

/** The ids of the notices that were shown. */
export const savedNoticed = () => read("notices").then((ids) => ids ?? []);

export const saveNoticed = (ids) => save("notices", ids);

/** What the service worker shows when a new phone asks, in the person's language: {title, body}. */
export const savedNotification = () => read("notification");

export const saveNotification = (said) => save("notification", said);

/** Whether this key is registered at the service. */
export const isRegistered = () => isSaved("registered");

export const saveRegistered = () => save("registered", true);

/**
 * The saved screen lock: "declined", or the passkey that authenticated this key last; undefined
 * before the person was asked.
 *
 * @returns {Promise<"declined"|{rpId: string, credentialId: string}|undefined>}
 */
export const savedScreenLock = () => read("screen_lock");

export const saveScreenLock = (said) => save("screen_lock", said);

/** Delete the key: this device can never sign again. That this was wanted stays known. */
export async function forgetDevice() {
  unstored.clear();
  await inStore("readwrite", (store) => store.clear());
  await saveTrust("none");
}
