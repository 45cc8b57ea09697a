/**
 * A station: a browser of the operator's, at which people sign in without a phone. It shows nothing
 * of anybody's account, and keeps nothing of a person.
 */

import { Refused } from "../service/client.js";
import { forgetStation, saveStation } from "../service/device_key.js";
import { h } from "../view/dom.js";
import { because, text, whoAsks } from "../view/parts.js";
import { show, showBusy } from "../view/stage.js";
import { has, t } from "../words/words.js";
import { FINAL, WANTS_PALM, watching } from "./login.js";
import { clearLogin, endOf, saveLogin, savedLogin } from "./login_end.js";
import { Cancelled, presentPalm } from "./palm.js";

/**
 * Be a station until the page is left: answer a sign-in that began here, else wait for one.
 *
 * @param app
 * @param {CryptoKeyPair} key the station's, or one that becomes it.
 * @param {{link: {ticket: string}|null, isEnrolling: boolean, isSaved: boolean}} how link: of a
 *   sign-in or, on the page for enrolling, a code; isSaved: whether the key is a station's.
 */
export async function beStation(app, key, { link, isEnrolling, isSaved }) {
  document.documentElement.dataset.station = "";
  app.facing = "user";
  if (!isEnrolling && (link || savedLogin())) return signInHere(app, link);
  const said = (isSaved && (await enrolled(app)))
    || (isEnrolling && (await enrol(app, key, link?.ticket)));
  if (!said) return location.replace("station");
  const screen = { name: "station", title: said.name, parts: [text("station_ready")] };
  await show({ ...screen, kind: "good" });
}

/** Return what the service says of this station; null if it is none, or was removed. */
async function enrolled(app) {
  showBusy("opening");
  try {
    return await app.phone.renewCookie();
  } catch (fault) {
    if (!isRemoved(fault)) throw fault;
    await forgetStation();
    return null;
  }
}

const isRemoved = (fault) => fault instanceof Refused && fault.error === "device_unknown";

/** Take a code until it is right; the key is saved first, as a code works once. */
async function enrol(app, key, code) {
  const field = h("input", { id: "station-code", type: "text", dir: "ltr", autocomplete: "off",
    maxlength: 64, "aria-label": t("station_code"), "aria-describedby": "missing" });
  const missing = h("p", { class: "missing", id: "missing", role: "alert" });
  for (let typed = code; ;) {
    if (typed) {
      const said = await tried(app, key, typed);
      if (said) return said;
      missing.textContent = t("station_code_wrong");
    }
    await show({ name: "station_code", parts: [text("station_code"), field, missing],
      actions: ["continue"] });
    typed = field.value.trim();
  }
}

async function tried(app, key, code) {
  showBusy("opening");
  await saveStation(key);
  try {
    return await app.phone.enrolStation(code);
  } catch (fault) {
    await forgetStation();
    if (!(fault instanceof Refused) || fault.error !== "station_code_wrong") throw fault;
    return null;
  }
}

/** Answer the sign-in that began in this browser, and return to its page however it ends. */
async function signInHere(app, link) {
  showBusy("opening");
  let login = savedLogin();
  try {
    login = link ? await app.phone.claim(link.ticket)
      : { ...login, ...(await app.phone.loginState(login.login_id)) };
    saveLogin(login);
    await followed(app, login);
  } catch (fault) {
    if (isRemoved(fault)) {
      clearLogin();
      return beStation(app, null, { isSaved: true });
    }
    const end = endOf(fault);
    if (!FINAL.has(end)) await explain(end, fault);
  }
  clearLogin();
  location.replace(login?.page_url ?? "station");
}

async function explain(end, fault) {
  const known = `end_${end === "not_from_station" ? "station_elsewhere" : end}`;
  const name = has(`title_${known}`) ? known : "end_trouble";
  await show({ name, parts: [because(name, fault)], actions: ["back_here"], kind: "bad" });
}

/** Ask for palm and approval until the login has ended. */
async function followed(app, login) {
  app.begin();
  app.sendPictures(login.challenge ? "challenge" : "station");
  app.explainedWhy = (await app.mode()).why;
  const [over, answered] = [new AbortController(), new AbortController()];
  watching(app, login, over, answered.signal);
  try {
    let { hint } = login;
    while (!FINAL.has(hint) && hint !== "phone_not_trusted") {
      const ask = WANTS_PALM.has(hint) ? askPalm : askApproval;
      ({ hint } = await ask(app, login, over.signal));
    }
  } finally {
    answered.abort();
  }
}

async function askPalm(app, login, signal) {
  const send = (palm) => app.phone.answer(login.login_id, palm);
  const want = { name: "capture", purpose: "login", id: login.login_id };
  try {
    const { hint, attempts_left: left } = await presentPalm(app, want, send, signal);
    if (hint !== "palm_retry") return { hint };
    const parts = [text("retry", { left }), text("retry_help")];
    const screen = { name: "retry", parts, actions: ["try_again", "decline"], kind: "bad" };
    if ((await show(screen, signal)) === "try_again") return { hint };
  } catch (fault) {
    if (!(fault instanceof Cancelled)) throw fault;
  }
  return app.phone.decline(login.login_id);
}

async function askApproval(app, login, signal) {
  const parts = [whoAsks(login), text("approve_question")];
  const chosen = await show({ name: "approve", title: t("title_who_asks"), parts,
    actions: ["approve", "decline"] }, signal);
  return app.phone[chosen](login.login_id);
}
