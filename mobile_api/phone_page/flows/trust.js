/** Makes this phone trusted: by a palm, then an approval, the screen lock, time, or a code. */

import { Refused } from "../service/client.js";
import { hasScreenLock } from "../service/passkey.js";
import { h } from "../view/dom.js";
import { because, longCode, momentIn, text } from "../view/parts.js";
import { quiet, show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";
import { Cancelled } from "./palm.js";
import { returned } from "./screen_lock.js";
import { withVerifiedPalm } from "./verification.js";

/** What is said after errors of a recovery code, which may then be typed again. */
const TYPE_AGAIN = {
  recovery_code_wrong: "recover_wrong",
  palm_proof_expired: null,
  too_many_attempts: "end_too_many_attempts",
};

/** Screens for a palm that was not recognised: this phone may belong to nobody. */
const UNKNOWN_PALM = { palm_mismatch: { name: "retry", key: "retry_help", isAgain: true } };

/**
 * Ask the account to trust this phone, and explain what is still needed.
 *
 * @throws {Cancelled}
 */
export async function trustPhone(app, signal) {
  const hasCode = app.news.said?.recovery === "code";
  await app.picturesUnlessTrusted(app.news.said);
  const screen = { name: "trust_phone", parts: [text("trust_phone"), app.modeNote()],
    actions: ["start_camera", "cancel",
      ...(hasCode ? [quiet("recover")] : [])] };
  const chosen = await show(screen, signal);
  if (chosen === "cancel") throw new Cancelled();
  if (chosen === "recover") return recover(app, signal);
  const ask = (palm) => app.phone.askForTrust(palm);
  const said = await withVerifiedPalm(app, ask, signal, UNKNOWN_PALM);
  app.news.forget();
  if (said) await explain(app, said, signal);
}

/**
 * Perform an action; where only trusted phones may, say so and offer to trust this one.
 *
 * @param app
 * @param {() => Promise<object>} act
 * @param {AbortSignal} signal
 * @returns {Promise<object|null>} what the action returned; null if this phone may not.
 */
export async function forTrusted(app, act, signal) {
  try {
    return await act();
  } catch (fault) {
    if (!(fault instanceof Refused) || fault.error !== "phone_not_trusted") throw fault;
  }
  app.news.forget();
  const screen = { name: "phone_not_trusted", parts: [text("phone_not_trusted")],
    actions: ["trust_phone", "home"], kind: "bad" };
  if ((await show(screen, signal)) === "trust_phone") await trustPhone(app, signal);
  return null;
}

/** Show a recovery code, which nobody can show again: not even the end of a login interrupts. */
export async function showRecoveryCode(code) {
  const parts = [longCode(code), text("new_recovery_code")];
  await show({ name: "new_recovery_code", parts, actions: ["continue"] });
}

async function explain(app, said, signal) {
  if (said.trust === "trusted") return celebrate(app, signal);
  const isLockable = await hasScreenLock();
  const roads = [
    "trust_asked_phone",
    isLockable && "trust_asked_lock",
    said.trusted_in !== null && "trust_asked_wait",
    said.recovery === "code" && "trust_asked_code",
  ].filter(Boolean);
  const values = said.trusted_in !== null ? { when: momentIn(said.trusted_in) } : {};
  const items = roads.map((key) => h("li", {}, t(key, values)));
  const parts = [h("ul", { id: "roads" }, ...items)];
  const actions = [
    ...(said.recovery === "code" ? ["recover"] : []),
    "home",
    ...(isLockable ? [quiet("come_back")] : []),
  ];
  const chosen = await show({ name: "trust_asked", parts, actions }, signal);
  if (chosen === "come_back") await returned(app, signal);
  if (chosen === "recover") await recover(app, signal);
}

async function celebrate(app, signal) {
  app.news.forget();
  app.sendTemplates();
  await show({ name: "phone_trusted", parts: [text("phone_trusted")], actions: ["continue"],
    kind: "good" }, signal);
}

/** Let the person show the palm, then type the recovery code until it is right. */
async function recover(app, signal) {
  const prove = () => withVerifiedPalm(app, (palm) => app.phone.provePalm(palm), signal);
  const field = h("input", { id: "recovery-code", type: "text", dir: "ltr", autocomplete: "off",
    maxlength: 64, "aria-label": t("title_recover"), "aria-describedby": "missing" });
  const missing = h("p", { class: "missing", id: "missing", role: "alert" });
  let proved = await prove();
  while (proved) {
    const fault = await typed(app, proved, { field, missing }, signal);
    if (!fault) return celebrate(app, signal);
    if (fault.error === "palm_proof_expired") proved = await prove();
    const key = TYPE_AGAIN[fault.error];
    missing.textContent = key ? because(key, fault).textContent : "";
  }
}

/** Return the refusal of the code that was typed; null if it was right. */
async function typed(app, proved, { field, missing }, signal) {
  const chosen = await show({ name: "recover", parts: [field, missing],
    actions: ["continue", "cancel"] }, signal);
  if (chosen === "cancel") throw new Cancelled();
  const code = field.value.trim();
  if (!code) return { error: "recovery_code_wrong" };
  showBusy("opening");
  try {
    await app.phone.recover(code, proved.palm_proof);
    return null;
  } catch (fault) {
    if (!(fault instanceof Refused) || !(fault.error in TYPE_AGAIN)) throw fault;
    return fault;
  }
}
