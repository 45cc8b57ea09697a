/** The page's sentences in the person's language. English is built in, others are fetched. */

import en from "./en.js";

/** Languages beside English, each a module of its own. */
const OTHERS = {
  ar: () => import("./ar.js"),
  de: () => import("./de.js"),
  es: () => import("./es.js"),
  fr: () => import("./fr.js"),
  ja: () => import("./ja.js"),
  pt: () => import("./pt.js"),
  zh: () => import("./zh.js"),
};

/** Written from right to left. */
const RIGHT_TO_LEFT = new Set(["ar"]);

let words = en;

/** All languages. */
export const languages = () => ["en", ...Object.keys(OTHERS)];

/** Return the first supported language of a browser's list; else English. */
export function firstOf(wanted) {
  const short = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return short.find((tag) => languages().includes(tag)) ?? "en";
}

/** Choose the person's language; fall back to English if it cannot be fetched. */
export async function chooseLanguage(wanted = navigator.languages) {
  const fetched = await OTHERS[firstOf(wanted)]?.().catch(() => null);
  const language = fetched ? firstOf(wanted) : "en";
  words = { ...en, ...fetched?.default };
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
}

/** Whether there are words for a key. */
export const has = (key) => key in words;

/**
 * Return the words for a key.
 *
 * @param {string} key
 * @param {object} values for the names in braces.
 */
export function t(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
