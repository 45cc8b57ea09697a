/** Lists whose rows lead somewhere. */

import { t } from "../words/words.js";
import { h, svg } from "./dom.js";
import { languageMenu } from "./parts.js";

const LOCK = "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3";

const DRAWINGS = {
  sign_ins: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2",
  my_apps: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
  my_phones: "M8 3h8v18H8zM11 18h2",
  screen_lock: LOCK,
  stop_screen_lock: LOCK,
  recovery_code: "M8 9a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M11.5 12.5H21m-3 0v3",
  push: "M5 17h14c-2-2-2-4-2-7a5 5 0 0 0-10 0c0 3 0 5-2 7M10 20h4",
  language: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M4 12h16M12 4c-5 5-5 11 0 16 5-5 5-11 0-16",
  delete_me: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
};

/** A list of rows. */
export const rows = (given, ...children) =>
  h("ul", { ...given, class: `rows ${given.class ?? ""}` }, ...children);

/**
 * A row that chooses an action.
 *
 * @param {string} key
 * @param {(key: string) => void} pick
 * @param {{label?: string, state?: string, look?: string}} how label: the words' key, unless the
 *   action's; state: what is shown at the end.
 */
export const row = (key, pick, { label = `action_${key}`, state = null, look = "" } = {}) =>
  h("li", {}, h("button", { type: "button", class: `quiet row ${look}`, "data-action": key,
    click: () => pick(key) }, drawing(key), h("span", { class: "said" }, t(label), " ",
    state !== null && h("span", { class: "state" }, state))));

/** A row with the menu of languages. */
export const languageRow = () => h("li", { class: "row" }, drawing("language"),
  h("span", { class: "said" }, h("label", { for: "own-language" }, t("language")),
    languageMenu(h("select", { id: "own-language", class: "state" }))));

const drawing = (key) => svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
  svg("path", { d: DRAWINGS[key] }));
