/**
 * Shows screens: a heading, content, and actions. The heading has the focus, so that a screen
 * reader reads it.
 */

import { has, t } from "../words/words.js";
import { h } from "./dom.js";
import { speak } from "./voice.js";

/** What the browser's Back chooses, on a screen that has one of these; other screens are left. */
const BACK = ["cancel", "home", "refuse"];

/** Have an own entry in the history, which Back takes. */
const pushOwn = () => history.state || history.pushState({ isOurs: true }, "");

let goBack = () => history.back();

// Only our own entry is gone then. Another fragment is a new link: main.js loads the page again.
globalThis.addEventListener?.("popstate", () => location.hash || goBack());

const stage = () => document.getElementById("stage");

/**
 * Show a screen and return the chosen action.
 *
 * @param {{name: string, title?: string, parts?: Node[], actions?: (string|object)[],
 *   kind?: "good"|"bad", stays?: boolean}} screen the title is `title_<name>`, or `action_<name>`,
 *   unless given; an action is a key, or {key, look: "outlined"|"quiet"|"removal"|"quiet removal"}:
 *   without a look, the first one is filled and the others are outlined; stays: Back does not leave
 *   it, as it shows what cannot be shown again.
 * @param {AbortSignal} [signal] ends the wait, throwing its reason.
 * @returns {Promise<string>} the key of the action.
 */
export function show({ name, title, parts = [], actions = [], kind = "", stays }, signal) {
  return new Promise((resolve, reject) => {
    const said = { tabindex: "-1", "aria-describedby": "step" };
    const key = has(`title_${name}`) ? `title_${name}` : `action_${name}`;
    const heading = h("h1", said, title ?? t(key));
    const buttons = actions.map((action, at) => buttonOf(action, at, resolve));
    const row = buttons.length > 0 && h("div", { class: "actions" }, ...buttons);
    stage().replaceChildren(heading, ...parts, ...(row ? [row] : []));
    stage().dataset.screen = name;
    stage().dataset.kind = kind;
    document.title = heading.textContent;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    const back = actions.map((each) => each.key ?? each).find((each) => BACK.includes(each));
    goBack = () => (stays ? pushOwn() : back ? resolve(back) : history.back());
    if (back || stays) pushOwn();
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function buttonOf(action, at, resolve) {
  const { key = action, look = at && "outlined" } = action;
  return button(key, () => resolve(key), { class: look || "filled" });
}

/** An action that stands back. */
export const quiet = (key) => ({ key, look: "quiet" });

/** The steps of an enrolment. */
const STEPS = 4;

/** Show which step of an enrolment the next screens are; 0: of none. */
export function showStep(step) {
  document.getElementById("step").textContent = step ? t("step", { step, steps: STEPS }) : "";
}

/** Return the button of an action. */
export function button(key, click, given = {}) {
  return h("button", { type: "button", "data-action": key, click, ...given }, t(`action_${key}`));
}

/** Show a progress screen. */
export function showBusy(name, parts = []) {
  show({ name, parts: [...parts, h("progress")] }).catch(() => {});
}

/** Announce a text: by voice if switched on, else by screen reader; never by both. */
export function announce(text, { isUrgent = false } = {}) {
  const line = document.getElementById(isUrgent ? "urgent" : "polite");
  const write = () => (line.textContent = text);
  if (text && speak(text, write)) line.textContent = "";
  else write();
}

/** Show or hide the offline notice. */
export function showConnection(isThere) {
  const line = document.getElementById("connection");
  line.hidden = isThere;
  line.textContent = isThere ? "" : t("offline");
}
