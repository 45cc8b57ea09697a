/**
 * Reads instructions aloud if switched on. Uses only local voices: others send the text to a
 * server. A phrase is spoken to its end, then the newest one.
 */

import { inStorage } from "./storage.js";

const KEPT = "thenar-voice";

/** An instruction that still applies is repeated after this many milliseconds. */
const AGAIN_MS = 4000;

/** Longest duration of a phrase, milliseconds. */
const LONGEST_MS = 20000;

/** Errors that mean the phrase was stopped on purpose. */
const STOPPED = new Set(["canceled", "interrupted"]);

const synthesis = globalThis.speechSynthesis;

let isOn = inStorage((kept) => kept.getItem(KEPT)) === "on";
let now = null;
let begunAt = 0;
let next = null;
let last = null;

/** Return a local voice of the page's language, or null. */
function voice() {
  const { lang } = document.documentElement;
  const own = (synthesis?.getVoices() ?? []).filter((each) => each.localService);
  return own.find((each) => each.lang.toLowerCase().split(/[-_]/)[0] === lang) ?? null;
}

/** Whether this device can read the page's language aloud. Voices may come late. */
export const canSpeak = () => voice() !== null;

/** Listen for changes of the voices until the signal aborts. */
export function onVoices(listener, signal) {
  synthesis?.addEventListener?.("voiceschanged", listener, { signal });
}

/** Whether the voice is switched on. */
export const isVoiceOn = () => isOn;

/** Switch the voice on or off and save that. */
export function setVoice(on) {
  isOn = on;
  inStorage((kept) => kept.setItem(KEPT, on ? "on" : "off"));
  if (on) return;
  [now, next, last] = [null, null, null];
  synthesis?.cancel();
}

/** Stop after the current phrase. */
export function endSpeech() {
  [next, last] = [null, null];
}

/**
 * Say a text after the current phrase.
 *
 * @param {string} text
 * @param {() => void} unsaid called if the device fails to say it.
 * @returns {boolean} whether it will be said; if not, show it in another way.
 */
export function speak(text, unsaid = () => {}) {
  if (!isOn || !canSpeak()) return false;
  // Some browsers do not report the end of a phrase.
  if (performance.now() - begunAt > LONGEST_MS) now = null;
  next = now?.text === text ? null : { text, unsaid };
  if (!now) begin();
  return true;
}

/** Repeat a text if it was said last, some time ago. */
export function remind(text) {
  const isOld = last?.text === text && performance.now() - last.at > AGAIN_MS;
  if (isOld && !now) speak(text);
}

function begin() {
  if (!next) return;
  const { text, unsaid } = next;
  next = null;
  // Referenced until it ends: some browsers garbage-collect running utterances.
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
