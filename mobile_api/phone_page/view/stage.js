/**
 * The one place where screens are shown: a heading, what there is to read, what may be chosen.
 * A screen reader hears the heading; the keyboard stands on it.
 */

import { t } from "../words/words.js";
import { h } from "./dom.js";
import { speak } from "./voice.js";

const stage = () => document.getElementById("stage");

/**
 * Show a screen and return what was chosen.
 *
 * @param {{name: string, title?: string, parts?: Node[], actions?: (string|object)[],
 *   kind?: "good"|"bad"}} screen name is that of the words, `title_<name>` unless a title is given;
 *   an action is a word's key, or {key, look: "equal"|"quiet", disabled}.
 * @param {AbortSignal} [signal] ends the wait, throwing its reason.
 * @returns {Promise<string>} the key of the action.
 */
export function show({ name, title, parts = [], actions = [], kind = "" }, signal) {
  return new Promise((resolve, reject) => {
    const heading = h("h1", { tabindex: "-1" }, title ?? t(`title_${name}`));
    const buttons = actions.map((action) => buttonOf(action, resolve));
    const row = buttons.length > 0 && h("div", { class: "actions" }, ...buttons);
    stage().replaceChildren(heading, ...parts, ...(row ? [row] : []));
    stage().dataset.screen = name;
    stage().dataset.kind = kind;
    document.title = heading.textContent;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function buttonOf(action, resolve) {
  const { key, look = "equal" } = typeof action === "string" ? { key: action } : action;
  const given = { type: "button", class: look, "data-action": key, click: () => resolve(key) };
  return h("button", given, t(`action_${key}`));
}

/** Show a screen that asks nothing: something is being done. */
export function showBusy(name, parts = []) {
  show({ name, parts: [h("progress"), ...parts] }).catch(() => {});
}

/** Say something now: aloud to whoever asked for that, else to a screen reader; never twice. */
export function announce(text, { isUrgent = false } = {}) {
  const line = document.getElementById(isUrgent ? "urgent" : "polite");
  const write = () => (line.textContent = text);
  if (speak(text, write)) line.textContent = "";
  else write();
}

/** Show or hide the line that says the connection is away. */
export function showConnection(isThere) {
  const line = document.getElementById("connection");
  line.hidden = isThere;
  line.textContent = isThere ? "" : t("offline");
}
