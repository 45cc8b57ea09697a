/** The end screen of a login, and the saved state of a running one. */

import { Refused } from "../service/client.js";
import { announce, quiet } from "../view/stage.js";
import { because, text, whoAsks } from "../view/parts.js";
import { inStorage } from "../view/storage.js";
import { vibrateFor } from "../view/vibration.js";
import { has, t } from "../words/words.js";
import { savedTrust } from "../service/device_key.js";
import { setUp } from "./enrolment.js";
import { showWithNews } from "./news.js";
import { Cancelled } from "./palm.js";
import { addScreenLock, mayOffer } from "./screen_lock.js";
import { forTrusted, trustPhone } from "./trust.js";

/** The login ended; hint: its last hint or an error code. */
export class LoginOver extends Error {
  constructor(hint) {
    super(hint);
    this.hint = hint;
  }
}

/** Return the end that an error means: a hint, or an error code. */
export function endOf(fault) {
  if (fault instanceof LoginOver) return fault.hint;
  if (!(fault instanceof Refused)) throw fault;
  return fault.hint ?? fault.error;
}

const KEPT = "thenar-login";

const inTab = (use) => inStorage(use, "sessionStorage");

/** Save a claimed login for this tab: the page may be reloaded. */
export const saveLogin = (login) =>
  inTab((kept) => kept.setItem(KEPT, JSON.stringify({ ...login, savedAt: Date.now() })));

/** The saved login, older by the time since; null: none is running. */
export function savedLogin() {
  const login = JSON.parse(inTab((kept) => kept.getItem(KEPT)));
  return login && { ...login, asked_ago: login.asked_ago + (Date.now() - login.savedAt) / 1000 };
}

export const clearLogin = () => inTab((kept) => kept.removeItem(KEPT));

/** Ends that the person chose, and those that are no error. */
const KINDS = { go: "good", declined: "", reported: "" };

/**
 * Show how a login ended.
 *
 * @param app
 * @param login null if it was never claimed.
 * @param {string|Error} why hint, or an error; without words: "trouble".
 */
export async function showEnd(app, login, why) {
  const end = typeof why === "string" ? why : endOf(why);
  const name = has(`title_end_${end}`) ? `end_${end}` : "end_trouble";
  const isHere = login?.isHere && login.page_url;
  // Requests of new phones must be seen; without them, continue at once.
  if (isHere && end === "go" && !app.news.isUrgent) location.assign(login.page_url);
  announce(t(`title_${name}`), { isUrgent: true });
  vibrateFor(end in KINDS ? [30, 40, 30] : 200);
  const { signal } = new AbortController();
  const chosen = await showWithNews(app, () => endScreen(login, { end, name, why }), signal);
  if (chosen === "back_here" || chosen === "continue") location.assign(login.page_url);
  if (chosen === "report") await reported(app, login);
  const act = { set_up: setUp, screen_lock: addScreenLock, trust_phone: trustPhone }[chosen];
  if (act) await forTrusted(app, () => act(app, signal), signal).catch(cancelled);
}

async function endScreen(login, { end, name, why }) {
  const isHere = login?.isHere && login.page_url;
  const parts = [
    ...(login && end === "go" ? [whoAsks(login)] : []),
    because(has(name) ? name : "end_declined", why),
    ...(isHere ? [] : [text(end === "go" ? "back_to_computer" : "start_again")]),
  ];
  const trust = await savedTrust();
  const back = end === "go" ? "continue" : "back_here";
  const actions = [...(isHere ? [back] : []), ...waysOn(end, trust), "home",
    ...(login && end === "go" ? await offers(trust) : [])];
  return { name, parts, actions, kind: KINDS[end] ?? "bad", trust };
}

/** Return what helps after an end that another phone would not have had. */
function waysOn(end, trust) {
  if (end === "phone_not_trusted" && trust !== "trusted") return ["trust_phone"];
  return end === "device_unbound" ? ["set_up", "trust_phone"] : [];
}

/** Return what is offered after a sign-in, beside leaving it. */
async function offers(trust) {
  if (trust !== "trusted") return [quiet("report"), quiet("trust_phone")];
  return [quiet("report"), ...((await mayOffer()) ? [quiet("screen_lock")] : [])];
}

function cancelled(fault) {
  if (!(fault instanceof Cancelled)) throw fault;
}

async function reported(app, login) {
  await app.phone.report(login.login_id);
  await showEnd(app, login, "reported");
}
