/**
 * Reads aloud for whoever asked for it; silent by default. Only voices of the device itself
 * speak: others would send what is said to somebody else. A phrase is spoken to its end, then
 * the newest one.
 */

const KEPT = "thenar-voice";

/** What still holds is said again after so many milliseconds. */
const AGAIN_MS = 4000;

/** No phrase takes longer to say, in milliseconds. */
const LONGEST_MS = 20000;

/** Ends of a phrase that somebody wanted. */
const STOPPED = new Set(["canceled", "interrupted"]);

const synthesis = globalThis.speechSynthesis;

/** Use what this browser keeps; some private windows keep nothing, and throw. */
function inStorage(use) {
  try {
    return use(localStorage);
  } catch {
    return null; // The wish lasts as long as the page.
  }
}

let isOn = inStorage((kept) => kept.getItem(KEPT)) === "on";
let now = null;
let begunAt = 0;
let next = null;
let last = null;

/** Return the voice to speak the page's language with, or null if the device has none. */
function voice() {
  const { lang } = document.documentElement;
  const own = (synthesis?.getVoices() ?? []).filter((each) => each.localService);
  return own.find((each) => each.lang.toLowerCase().split(/[-_]/)[0] === lang) ?? null;
}

/** Whether this device can read the page's language aloud. Voices may come late. */
export const canSpeak = () => voice() !== null;

/** Be told when voices came, as long as a signal lasts. */
export function onVoices(listener, signal) {
  synthesis?.addEventListener?.("voiceschanged", listener, { signal });
}

/** Whether a person wants to be read to. */
export const isVoiceOn = () => isOn;

/** Remember whether a person wants to be read to. */
export function setVoice(on) {
  isOn = on;
  inStorage((kept) => kept.setItem(KEPT, on ? "on" : "off"));
  if (on) return;
  [now, next, last] = [null, null, null];
  synthesis?.cancel();
}

/** Let the phrase that is spoken be the last one. */
export function endSpeech() {
  [next, last] = [null, null];
}

/**
 * Say a text, after what is being said.
 *
 * @param {string} text
 * @param {() => void} unsaid called if the device refuses in the end.
 * @returns {boolean} whether it will be said; if not, it must reach the person in another way.
 */
export function speak(text, unsaid = () => {}) {
  if (!isOn || !canSpeak()) return false;
  // Some browsers forget to tell that a phrase ended.
  if (performance.now() - begunAt > LONGEST_MS) now = null;
  next = now?.text === text ? null : { text, unsaid };
  if (!now) begin();
  return true;
}

/** Say again what was said last, if that was this text and some time ago. */
export function remind(text) {
  const isOld = last?.text === text && performance.now() - last.at > AGAIN_MS;
  if (isOld && !now) speak(text);
}

function begin() {
  if (!next) return;
  const { text, unsaid } = next;
  next = null;
  // Held until it ends: some browsers forget utterances that nobody holds.
  now = new SpeechSynthesisUtterance(text);
  now.voice = voice();
  now.lang = now.voice?.lang ?? document.documentElement.lang;
  now.onend = ended;
  now.onerror = (event) => {
    if (!STOPPED.has(event.error)) unsaid();
    ended(event);
  };
  begunAt = performance.now();
  synthesis.speak(now);
}

function ended({ target }) {
  if (target !== now) return;
  last = { text: now.text, at: performance.now() };
  now = null;
  begin();
}
