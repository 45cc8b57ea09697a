/** Makes this phone trusted: by a palm, then the best trust way that the account has. */

import { Refused } from "../service/client.js";
import { NoPasskey, canUsePasskeys } from "../service/passkey.js";
import { h } from "../view/dom.js";
import { story } from "../view/icons.js";
import { because, codeOf, longCode, momentIn, text } from "../view/parts.js";
import { quiet, show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";
import { Cancelled } from "./palm.js";
import { withVerifiedPalm } from "./verification.js";

const POLL_MS = 2000;

/** What is said after errors of a recovery code, which may then be typed again. */
const TYPE_AGAIN = {
  recovery_code_wrong: "recover_wrong",
  too_many_attempts: "end_too_many_attempts",
};

/** Screens for a palm that was not recognised: this phone may have no account. */
const UNKNOWN_PALM = { palm_mismatch: { name: "retry", key: "retry_help", isAgain: true } };

/** The flow of each trust way. */
const FLOWS = { use_passkey: usePasskey, ask_phone: waitUnder("trust_asked"), recover,
  wait: waitUnder("wait") };

/** The actions of the service's trust ways. */
const ACTIONS = { passkey: "use_passkey", phone: "ask_phone", code: "recover", wait: "wait" };

/** The ways that need no other phone and no waiting, best first. */
const OWN = ["passkey", "code"];

/**
 * Show the palm, and let the account trust this phone; name: of the screen that says why.
 *
 * @throws {Cancelled}
 */
export async function trustPhone(app, signal, name = "trust_phone") {
  await app.picturesUnlessTrusted(app.assets);
  const parts = [story("show_palm", "phone", "good"), text(name), app.modeNote()];
  const screen = { name, parts, actions: ["start_camera", "cancel"] };
  if ((await show(screen, signal)) === "cancel") throw new Cancelled();
  const prove = (palm) => app.phone.provePalm(palm);
  const proved = await withVerifiedPalm(app, prove, signal, UNKNOWN_PALM);
  if (!proved) return;
  const used = await takeTrustWay(app, proved.palm_proof, ["cancel"], signal);
  if (!(used in FLOWS)) return;
  await show({ name: "phone_trusted", parts: [text("phone_trusted")], actions: ["continue"],
    kind: "good" }, signal);
  await replaceUsedCode(app, used, proved.palm_proof);
}

/**
 * Offer the trust ways until one makes this phone trusted; a phone whose key was deleted takes the
 * best of its ways at once.
 *
 * @param app
 * @param {string} proof of the palm that was just shown.
 * @param {(string|object)[]} ends actions that end it.
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the way that was taken, or what ended it.
 */
export async function takeTrustWay(app, proof, ends, signal) {
  let failed = null;
  for (;;) {
    let said = await app.phone.ownPhone();
    if (said.trusted_in === 0) said = await app.phone.askForTrust(proof);
    if (said.trust === "trusted" && !said.roads.length) return taken(app, "wait");
    const ways = said.roads.filter((way) => way !== "passkey" || canUsePasskeys());
    // Early: some browsers require the passkey call right after the press.
    const wanted = ways.includes("passkey") && app.phone.askPasskey();
    if (wanted) wanted.catch(() => {});
    const parts = [failed ?? text(ways.length ? "trust_ways" : "no_trust_way")];
    const actions = [...ways.map((way) => ACTIONS[way]), ...ends];
    const own = app.isCleared && !failed && OWN.find((way) => ways.includes(way));
    const chosen = ACTIONS[own] ?? (await show({ name: "trust_ways", parts, actions }, signal));
    if (!(chosen in FLOWS)) return chosen;
    try {
      failed = await FLOWS[chosen](app, { proof, wanted }, signal);
    } catch (fault) {
      if (fault.error !== "palm_proof_expired") throw fault;
      return fault.error;
    }
    if (!failed) return taken(app, chosen);
  }
}

function taken(app, way) {
  app.news.forget();
  app.sendTemplates();
  return way;
}

/** Make a new recovery code, and show it; `proof`: of a palm that was just shown. */
export async function renewCode(app, signal, proof = null, name = undefined) {
  app.account.close();
  const said = await app.account.use((given) => app.phone.recoveryCode(given), signal, proof);
  if (said) await showRecoveryCode(said.recovery_code, name);
}

/** After a recovery code was used, show the next one: it is the owner's way back again. */
export async function replaceUsedCode(app, way, proof) {
  if (way !== "recover") return;
  showBusy("opening");
  await showRecoveryCode((await app.phone.recoveryCode(proof)).recovery_code);
}

/**
 * Perform an action; where this phone may not, say so and offer to trust it.
 *
 * @param app
 * @param {() => Promise<object>} act
 * @param {AbortSignal} signal
 * @returns {Promise<object|null>} what the action returned; null if this phone may not.
 */
export async function forTrusted(app, act, signal) {
  let name;
  try {
    return await act();
  } catch (fault) {
    name = fault.error;
    if (!(fault instanceof Refused && ["phone_not_trusted", "phone_owns_later"].includes(name))) {
      throw fault;
    }
  }
  app.news.forget();
  const screen = { name, parts: [text(name)], actions: ["trust_phone", "home"], kind: "bad" };
  if ((await show(screen, signal)) === "trust_phone") await trustPhone(app, signal);
  return null;
}

/**
 * Show a recovery code until the person has kept it: it cannot be shown again, and not even the end
 * of a login interrupts.
 */
export async function showRecoveryCode(code, name = "new_recovery_code") {
  const box = h("input", { type: "checkbox", id: "kept" });
  const missing = h("p", { class: "missing", id: "missing", role: "alert" });
  const label = h("label", { for: "kept" }, t("code_kept"));
  const parts = [longCode(code), text("new_recovery_code"), h("p", { class: "agree" }, box, label),
    missing];
  for (;;) {
    await show({ name, title: t("title_new_recovery_code"), parts, actions: ["continue"],
      stays: true });
    if (box.checked) return;
    missing.textContent = t("code_missing");
  }
}

/** Use a passkey; return what to say if that failed. */
async function usePasskey(app, { proof, wanted }) {
  showBusy("opening");
  try {
    await app.phone.authenticate(await wanted, proof);
    return null;
  } catch (fault) {
    if (!(fault instanceof NoPasskey) && fault.error !== "passkey_refused") throw fault;
    return text("passkey_failed");
  }
}

/** Return the flow that waits for an answer under a screen: for another phone, or for days. */
function waitUnder(name) {
  return (app, { proof }, signal) => waitForOthers(app, proof, name, signal);
}

/** Ask for trust, and wait until another phone answers; return what to say if that failed. */
async function waitForOthers(app, proof, name, signal) {
  showBusy("opening");
  const { number, trusted_in: seconds } = await app.phone.askForTrust(proof);
  const parts = name === "wait" ? [text("trust_asked_wait", { when: momentIn(seconds) })]
    : [text("trust_asked"), codeOf(number)];
  const left = new AbortController();
  const back = show({ name, parts, actions: [quiet("other_way")] }, signal);
  try {
    return await Promise.race([back.then(() => text("trust_ways")), answered(app, left.signal)]);
  } finally {
    left.abort();
  }
}

/** Wait for the answer of another phone; return what to say if it refused. */
async function answered(app, signal) {
  while (!signal.aborted) {
    const said = await app.phone.ownPhone();
    if (said.trust === "trusted") return null;
    if (said.trust === "none") return text("request_refused");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return null;
}

/** Let the person type the recovery code until it is right; return what to say if it was not. */
async function recover(app, { proof }, signal) {
  const field = h("input", { id: "recovery-code", type: "text", dir: "ltr", autocomplete: "off",
    maxlength: 64, "aria-label": t("title_recover"), "aria-describedby": "missing" });
  const missing = h("p", { class: "missing", id: "missing", role: "alert" });
  for (;;) {
    const chosen = await show({ name: "recover", parts: [field, missing],
      actions: ["continue", "cancel"] }, signal);
    if (chosen === "cancel") return text("trust_ways");
    showBusy("opening");
    try {
      await app.phone.recover(field.value.trim() || "?", proof);
      return null;
    } catch (fault) {
      if (!(fault instanceof Refused) || !(fault.error in TYPE_AGAIN)) throw fault;
      missing.textContent = because(TYPE_AGAIN[fault.error], fault).textContent;
    }
  }
}
