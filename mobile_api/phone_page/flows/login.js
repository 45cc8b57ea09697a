/** Answers a sign-in: consent, palm, approval, confirmation code, result. */

import { Refused } from "../service/client.js";
import { savedTrust } from "../service/device_key.js";
import { codeOf, originOf, text, whoAsks } from "../view/parts.js";
import { quiet, show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";
import { enrol } from "./enrolment.js";
import { LoginOver, clearLogin, endOf, saveLogin, savedLogin, showEnd } from "./login_end.js";
import { Cancelled, presentPalm } from "./palm.js";
import { confirmed } from "./screen_lock.js";
import { replaceUsedCode, takeTrustWay } from "./trust.js";

const POLL_MS = 2000;

/** The palm matched; the login waits until the account trusts this phone. */
const NOT_TRUSTED = "phone_not_trusted";

export const FINAL = new Set(["go", "declined", "reported", "expired", "locked", "code_locked",
  "cancelled", "superseded"]);

export const WANTS_PALM = new Set(["wait_palm", "palm_retry", "wait_continue", NOT_TRUSTED]);

const WANTS_CODE = new Set(["wait_code", "code_retry"]);

/** Claim the ticket of a link and follow the login to its end. */
export async function logIn(app, link) {
  showBusy("opening");
  let login;
  try {
    login = { ...(await app.phone.claim(link.ticket)), isHere: link.isHere };
  } catch (fault) {
    return showEnd(app, null, fault);
  }
  saveLogin(login);
  app.begin();
  return follow(app, login);
}

/** Continue the login that this tab claimed before it was reloaded. */
export async function resume(app) {
  const login = savedLogin();
  if (!login) return false;
  showBusy("opening");
  app.begin();
  let state;
  try {
    state = await app.phone.loginState(login.login_id);
  } catch (fault) {
    clearLogin();
    await showEnd(app, login, fault);
    return true;
  }
  await follow(app, { ...login, ...state });
  return true;
}

async function follow(app, login) {
  const over = new AbortController();
  const answered = new AbortController();
  watching(app, login, over, answered.signal);
  const end = await answer(app, login, over.signal).catch((fault) => fault);
  answered.abort();
  app.sendTemplates();
  clearLogin();
  await showEnd(app, login, end);
}

/** Follow the login on a stream, and ask where none passes; abort if another page ended it. */
export async function watching(app, login, over, answered) {
  const judge = ({ hint, expires_in: left }) => {
    if (FINAL.has(hint) || (hint === NOT_TRUSTED && !left)) over.abort(new LoginOver(hint));
  };
  const isDone = () => over.signal.aborted || answered.aborted;
  for (;;) {
    await app.phone.followLogin(login.login_id, judge, answered).catch(() => {});
    if (isDone()) return;
    judge(await app.phone.loginState(login.login_id).catch((fault) => ({ hint: endOf(fault) })));
    if (isDone()) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Return the hint with which a login ended. */
async function answer(app, login, signal) {
  let { hint, confirmation_code: code, palm_proof: proof, familiar } = login;
  while (!FINAL.has(hint)) {
    if (proof) ({ hint, palm_proof: proof } = await becomeTrusted(app, login, proof, signal));
    else if (WANTS_PALM.has(hint)) {
      ({ hint, palm_proof: proof, familiar } = await askPalm(app, login, signal));
    } else if (WANTS_CODE.has(hint)) await showCode(app, login, code, signal);
    else {
      const asked = { ...login, familiar };
      ({ hint, confirmation_code: code, familiar } = await approve(app, asked, signal));
    }
  }
  return hint;
}

async function askPalm(app, login, signal) {
  await app.picturesUnlessTrusted(login);
  const isUnknown = (await savedTrust()) === "none";
  const mayBeNew = isUnknown && !app.isCleared;
  const first = mayBeNew ? ["first_time"] : [];
  const actions = [login.verifies ? "continue" : "show_palm", ...first, "decline", quiet("report")];
  const parts = [
    whoAsks(login),
    ...originOf(login),
    text("login_gets"),
    ...(isUnknown && app.isCleared ? [text("cleared")] : []),
    app.modeNote(),
    text("login_warning", {}, { class: "warning" }),
    ...(mayBeNew ? [text("other_browser")] : []),
  ];
  app.news.ask();
  const chosen = await show({ name: "who_asks", title: titleOf(login), parts, actions }, signal);
  if (chosen === "decline") return app.phone.decline(login.login_id);
  if (chosen === "report") return app.phone.report(login.login_id);
  try {
    if (chosen === "first_time") await enrol(app, signal);
    return await palmFor(app, login, signal);
  } catch (fault) {
    if (!(fault instanceof Cancelled)) throw fault;
    return { hint: "wait_palm" };
  }
}

/** Present palms until one is recognised or the login is over. */
async function palmFor(app, login, signal) {
  for (;;) {
    const send = (palm) => app.phone.answer(login.login_id, palm);
    const want = { name: "capture", purpose: "login", id: login.login_id };
    const answer = await presentPalm(app, want, send, signal);
    const { hint, attempts_left: left, palm_proof: proof } = answer;
    if (hint === NOT_TRUSTED && !proof) throw new LoginOver(hint);
    if (hint !== "palm_retry") return answer;
    const parts = [text("retry", { left }), text("retry_help")];
    const first = (await savedTrust()) === "none" ? ["first_time"] : [];
    const actions = ["try_again", ...first, "decline"];
    const chosen = await show({ name: "retry", parts, actions, kind: "bad" }, signal);
    if (chosen === "decline") return app.phone.decline(login.login_id);
    if (chosen === "first_time") await enrol(app, signal);
  }
}

/** Let the account trust this phone, then answer with the palm that was shown. */
async function becomeTrusted(app, login, proof, signal) {
  const used = await takeTrustWay(app, proof, ["decline", quiet("report")], signal);
  if (used === "decline" || used === "report") return app.phone[used](login.login_id);
  if (used === "palm_proof_expired") return { hint: NOT_TRUSTED };
  showBusy("opening");
  const answer = await app.phone.answerProved(login.login_id, proof);
  await replaceUsedCode(app, used, proof);
  return answer;
}

/** Approve what was said yes to on the way to the palm; ask once more where that is a risk. */
async function approve(app, login, signal) {
  const chosen = login.familiar ? "approve" : await askApproval(login, signal);
  try {
    return await confirmed(app, () => app.phone[chosen](login.login_id), signal);
  } catch (fault) {
    if (fault instanceof Cancelled) return { hint: "wait_approve" };
    if (!(fault instanceof Refused) || fault.error !== "wrong_state") throw fault;
    return app.phone.loginState(login.login_id);
  }
}

function askApproval(login, signal) {
  const parts = [whoAsks(login), ...originOf(login), text("approve_question")];
  const actions = ["approve", "decline", quiet("report")];
  return show({ name: "approve", title: titleOf(login), parts, actions }, signal);
}

const titleOf = ({ verifies }) => t(verifies ? "title_verify" : "title_who_asks");

/** Show the code until the login ends or is reported. */
async function showCode(app, login, code, signal) {
  const parts = [text("code_help"), codeOf(code), text("code_warning", {}, { class: "warning" })];
  const actions = [...(login.isHere ? ["back_here"] : []), quiet("report")];
  const chosen = await show({ name: "code", parts, actions }, signal);
  if (chosen === "back_here") location.assign(login.page_url);
  else throw new LoginOver((await app.phone.report(login.login_id)).hint);
}

