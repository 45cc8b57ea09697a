/** The page's sentences in the person's language: the only ones that are fetched. */

/** Each language is one module. */
const LANGUAGES = {
  ar: () => import("./ar.js"),
  de: () => import("./de.js"),
  en: () => import("./en.js"),
  es: () => import("./es.js"),
  fr: () => import("./fr.js"),
  ja: () => import("./ja.js"),
  pt: () => import("./pt.js"),
  zh: () => import("./zh.js"),
};

/** Written from right to left. */
const RIGHT_TO_LEFT = new Set(["ar"]);

/** Sentences that mean a phone even where this is none. */
const OF_PHONES = new Set(["home_text", "camera_missing"]);

let words = {};

/** The person's own variety of the language, for dates: the words are in one of them only. */
export let locale = "en";

/** All languages. */
export const languages = () => Object.keys(LANGUAGES);

/** Return the first supported language of a browser's list; else English. */
export function firstOf(wanted) {
  const short = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return short.find((tag) => languages().includes(tag)) ?? "en";
}

/** What was chosen in the menu of any page; the provider's pages read and write it, too. */
const COOKIE = "thenar-language";

/** The languages of the browser, after the one that was chosen; its own variety of that first. */
export function wantedOf(cookies, list) {
  const own = list.filter(isTag);
  const chosen = RegExp(`(?:^|; )${COOKIE}=([a-z]{2})`).exec(cookies)?.[1];
  return chosen ? [...own.filter((tag) => tag.startsWith(chosen)), chosen, ...own] : own;
}

/** Whether it is a language tag (BCP 47): a browser's list may have any text. */
function isTag(text) {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}

/** Keep a choice, and show the page in it. */
export function keepLanguage(tag) {
  document.cookie = `${COOKIE}=${tag}; path=/; max-age=31536000; samesite=lax`;
  location.reload();
}

/** Choose the person's language; fall back to English if it cannot be fetched. */
export async function chooseLanguage(wanted = wantedOf(document.cookie, navigator.languages)) {
  const first = firstOf(wanted);
  const fetched = await LANGUAGES[first]().catch(() => null);
  const language = fetched ? first : "en";
  const { default: own, device } = fetched ?? (await LANGUAGES.en());
  words = isPhone() ? own : forDevices(own, device);
  locale = wanted.find((tag) => tag.toLowerCase().split("-")[0] === language) ?? language;
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
}

const isPhone = () =>
  matchMedia("(pointer: coarse) and (max-width: 599px), (pointer: coarse) and (max-height: 599px)")
    .matches;

/**
 * Return the words for a laptop or a tablet, which is no phone.
 *
 * @param {object} own
 * @param {[string, string][]} device what a phone is called, as a pattern, and what instead.
 */
export function forDevices(own, device) {
  const called = ([key, said]) => [key, OF_PHONES.has(key) ? said
    : device.reduce((now, [phone, name]) => now.replace(RegExp(phone, "g"), name), said)];
  return Object.fromEntries(Object.entries(own).map(called));
}

/** Whether there are words for a key. */
export const has = (key) => key in words;

/**
 * Return the words for a key.
 *
 * @param {string} key
 * @param {object} values for the names in braces; numbers are written as in the person's country.
 */
export function t(key, values = {}) {
  const written = (value) => Number.isInteger(value) ? value.toLocaleString(locale) : value;
  return words[key].replace(/\{(\w+)\}/g, (_, name) => written(values[name]));
}
