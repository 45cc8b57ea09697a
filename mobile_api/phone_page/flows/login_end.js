/** The end screen of a login, and the saved state of a running one. */

import { announce, show } from "../view/stage.js";
import { text, whoAsks } from "../view/parts.js";
import { has, t } from "../words/words.js";
import { hasScreenLock } from "../service/passkey.js";
import { Cancelled } from "./palm.js";
import { addScreenLock, mayOffer, returned } from "./screen_lock.js";

/** The login ended; hint: its last hint or an error code. */
export class LoginOver extends Error {
  constructor(hint) {
    super(hint);
    this.hint = hint;
  }
}

const KEPT = "thenar-login";

/** Save a claimed login for this tab: the page may be reloaded. */
export const saveLogin = (login) => sessionStorage.setItem(KEPT, JSON.stringify(login));

export const savedLogin = () => JSON.parse(sessionStorage.getItem(KEPT));

export const clearLogin = () => sessionStorage.removeItem(KEPT);

/** Ends that are no error. */
const GOOD = new Set(["go", "declined", "reported"]);

/**
 * Show how a login ended.
 *
 * @param app
 * @param login null if it was never claimed.
 * @param {string} end hint or error code; without words: "trouble".
 */
export async function showEnd(app, login, end) {
  const name = has(`title_end_${end}`) ? `end_${end}` : "end_trouble";
  const isHere = login?.isHere && login.page_url;
  const parts = [
    ...(login && end === "go" ? [whoAsks(login)] : []),
    text(name),
    ...(isHere ? [] : [text(end === "go" ? "back_to_computer" : "start_again")]),
  ];
  const actions = [
    ...(isHere ? ["back_here"] : []),
    ...(end === "device_unbound" && (await hasScreenLock()) ? ["come_back"] : []),
    ...(login && end === "go" ? [{ key: "report", look: "quiet" }] : []),
    ...(login && end === "go" && (await mayOffer()) ? [{ key: "screen_lock", look: "quiet" }] : []),
    { key: "home", look: "quiet" },
  ];
  if (isHere && end === "go") location.assign(login.page_url);
  announce(t(`title_${name}`), { isUrgent: true });
  navigator.vibrate?.(GOOD.has(end) ? [30, 40, 30] : 200);
  const kind = GOOD.has(end) ? "good" : "bad";
  const chosen = await show({ name, parts, actions, kind });
  if (chosen === "back_here") location.assign(login.page_url);
  if (chosen === "report") await reported(app, login);
  const { signal } = new AbortController();
  if (chosen === "screen_lock") await addScreenLock(app, signal).catch(cancelled);
  if (chosen === "come_back") await returned(app, signal);
}

function cancelled(fault) {
  if (!(fault instanceof Cancelled)) throw fault;
}

async function reported(app, login) {
  await app.phone.report(login.login_id);
  await showEnd(app, login, "reported");
}
