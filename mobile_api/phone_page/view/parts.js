/** Pieces of screens. */

import { STEPS } from "../capture/motions.js";
import { keepLanguage, languages, locale, t } from "../words/words.js";
import { h } from "./dom.js";

/** A paragraph. */
export const text = (key, values = {}, given = {}) => h("p", given, t(key, values));

/** The client's registered name, host and logo, and whether anybody has checked the name. */
export function whoAsks(client) {
  const { client_name: name, client_host: host, registered_itself: isNew } = client;
  // From the page's own host only, as its policy demands.
  const isOurs = Boolean(client.client_logo?.startsWith(`${location.origin}/`));
  return h("div", { class: "client" },
    isOurs && h("img", { src: client.client_logo, alt: "", width: 48, height: 48 }),
    h("strong", { id: "client-name" }, name), h("span", { id: "client-host" }, host),
    Boolean(isNew) && text("login_unchecked"));
}

/** Where and when a sign-in was requested, as the browser reports it. */
export function originOf({ asked_from: from, asked_ago: seconds }) {
  const when = Number.isFinite(seconds) && ago(seconds);
  const said = [from?.browser, from?.system, when].filter(Boolean);
  const parts = said.flatMap((each, at) => [at > 0 && " · ", h("bdi", {}, each)]);
  const isNear = from?.network !== "different";
  return [h("p", { id: "origin" }, ...parts), ...(isNear ? [] : [text("network_different")])];
}

/** Units, and from how many seconds on they are used. */
const UNITS =
  [["day", 86_400, 172_800], ["hour", 3600, 3600], ["minute", 60, 60], ["second", 1, 0]];

/** How long ago something was, such as "3 days ago". */
export function ago(seconds) {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const past = Math.max(0, seconds);
  const [unit, length] = UNITS.find(([, , least]) => past >= least);
  return format.format(-Math.round(past / length), unit);
}

/** Which day that was, such as "yesterday": one that the service rounded to midnight, UTC. */
export function dayAgo(seconds) {
  const days = Math.floor((Date.now() / 1000 - seconds) / 86_400);
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-days, "day");
}

const formatted = (seconds, style) =>
  new Intl.DateTimeFormat(locale, style).format(seconds * 1000);

/** A day that the service rounded to midnight, UTC. */
export const day = (seconds) => formatted(seconds, { dateStyle: "long", timeZone: "UTC" });

/** A date with its time of day. */
const moment = (seconds) => formatted(seconds, { dateStyle: "medium", timeStyle: "short" });

/** The moment in so many seconds, to the next full minute. */
export const momentIn = (seconds) => moment(Math.ceil((Date.now() / 1000 + seconds) / 60) * 60);

/** So many hours, in days if they are whole. */
export function lasting(hours) {
  const [count, unit] = hours % 24 ? [hours, "hour"] : [hours / 24, "day"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** What a refusal says, and when to try again, in local time. */
export const because = (key, { retryAfter = 0 }) => text(key, { when: momentIn(retryAfter) });

/** A name that a person chose, in its own direction of writing. */
export const named = (name) => h("strong", {}, h("bdi", {}, name));

/** Fill a menu with each language's own name. */
export function languageMenu(menu) {
  const nameOf = (tag) => new Intl.DisplayNames(tag, { type: "language" }).of(tag);
  menu.append(...languages().map((tag) => h("option", { value: tag, lang: tag }, nameOf(tag))));
  menu.value = document.documentElement.lang;
  menu.addEventListener("change", () => keepLanguage(menu.value));
  return menu;
}

/** What leaves the phone, in plain words. */
export const modeLine = ({ sends, why }) =>
  h("p", { class: "mode", id: "mode", "data-sends": sends },
    sends === "template" ? t("mode_template") : t(`mode_picture_${why}`, { steps: STEPS }));

/** How much of the networks has come; follows it in the place of what was followed before. */
export function loading(engine, line = h("p", { class: "mode" })) {
  const whole = (octets) => Math.round(octets / 1e6);
  engine.onprogress = () => (line.textContent =
    t("mode_loading", { done: whole(engine.loaded), all: whole(engine.size) }));
  engine.onprogress();
  return line;
}

/** A long code to write down or to copy. */
export function longCode(code) {
  const place = h("p", { class: "long-code", id: "code", dir: "ltr" }, code);
  const button = h("button", { type: "button", class: "outlined", "data-action": "copy",
    click: () => copy(code, place, button) }, t("action_copy"));
  return h("div", { class: "long-code-box" }, place, button);
}

/** Copy a text; where the browser does not allow that, select it. */
async function copy(code, place, button) {
  try {
    await navigator.clipboard.writeText(code);
    button.textContent = t("copied");
  } catch {
    getSelection().selectAllChildren(place);
  }
}

/** A confirmation code, digit by digit. */
export function codeOf(code) {
  const spoken = [...code].join(" ");
  return h("p", { class: "code", id: "code", dir: "ltr" }, spoken);
}
