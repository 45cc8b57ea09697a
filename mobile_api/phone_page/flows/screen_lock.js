/**
 * The phone's screen lock (a passkey): offered once, and requested when the service requires it.
 * On another phone it makes that one trusted, see trust.js.
 */

import { Refused } from "../service/client.js";
import { savedScreenLock, saveScreenLock } from "../service/device_key.js";
import { NoPasskey, PasskeyKnown, hasScreenLock } from "../service/passkey.js";
import { day, text } from "../view/parts.js";
import { quiet, show } from "../view/stage.js";
import { t } from "../words/words.js";
import { Cancelled } from "./palm.js";

/** Errors after which the screen lock may be tried again. */
const MISSED = new Set(["passkey_refused", "palm_proof_expired"]);

/** Whether to offer the screen lock: it exists, and the person was not asked yet. */
export const mayOffer = async () => !(await savedScreenLock()) && hasScreenLock();

/**
 * Offer the screen lock after an enrolment. Asks once.
 *
 * @param app
 * @param {string} palmProof
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether the account has it now.
 */
export async function offerScreenLock(app, palmProof, signal) {
  if (!(await mayOffer())) return false;
  const ask = () => app.phone.askToCreatePasskey(palmProof);
  const wanted = prefetch(ask());
  const parts = [text("title_enrolled"), text("screen_lock"), text("screen_lock_when")];
  const screen = { name: "screen_lock", parts, actions: ["use_screen_lock", "go_without"] };
  if ((await show(screen, signal)) !== "go_without") return create(app, wanted, ask, signal);
  await saveScreenLock("declined");
  return false;
}

/** Add the screen lock later, after a palm verification. */
export async function addScreenLock(app, signal) {
  const parts = [text("screen_lock"), text("screen_lock_when"), text("delete_me_palm")];
  const screen = { name: "screen_lock", parts, actions: ["use_screen_lock", "cancel"] };
  if ((await show(screen, signal)) === "cancel") return;
  app.account.close();
  const opened = await app.account.open(signal);
  if (!opened) return;
  const ask = () => app.phone.askToCreatePasskey(opened.palm_proof);
  const wanted = prefetch(ask());
  const ready = { name: "screen_lock_ready", parts: [text("screen_lock_ready")],
    actions: ["use_screen_lock", "cancel"] };
  if ((await show(ready, signal)) === "cancel") return;
  await create(app, wanted, ask, signal);
}

/** Stop using the screen lock. */
export async function removeScreenLock(app, signal) {
  const screen = { name: "stop_screen_lock", parts: [text("stop_screen_lock")],
    actions: ["stop_screen_lock", "cancel"] };
  if ((await show(screen, signal)) === "cancel") return;
  await confirmed(app, () => app.phone.removePasskey(), signal);
  await show({ name: "screen_lock_stopped", parts: [text("screen_lock_stopped")],
    actions: ["home"], kind: "good" }, signal);
}

/**
 * Perform an action; if the service requires the screen lock, request it and retry.
 *
 * @param app
 * @param {() => Promise<object>} act
 * @param {AbortSignal} signal
 * @throws {Cancelled} the person did not confirm.
 */
export async function confirmed(app, act, signal) {
  for (let name = "confirm_screen_lock"; ; ) {
    try {
      return await act();
    } catch (fault) {
      if (!(fault instanceof Refused) || fault.error !== "passkey_needed") throw fault;
    }
    name = (await confirm(app, name, signal)) ? "confirm_screen_lock" : "screen_lock_failed";
  }
}

/** Request the screen lock; return whether it succeeded. */
async function confirm(app, name, signal) {
  const wanted = prefetch(app.phone.askPasskey());
  const actions = ["use_screen_lock", "cancel", quiet("lost_screen_lock")];
  const kind = name === "screen_lock_failed" ? "bad" : "";
  const chosen = await show({ name, parts: [text("confirm_screen_lock")], actions, kind }, signal);
  if (chosen === "cancel") throw new Cancelled();
  if (chosen === "lost_screen_lock") await resetBrowser(app, signal);
  return chosen === "use_screen_lock" && authenticated(app, wanted);
}

/** Delete this browser's key, because its screen lock no longer works. */
async function resetBrowser(app, signal) {
  const screen = { name: "lost_screen_lock", parts: [text("lost_screen_lock")],
    actions: ["begin_again", "cancel"] };
  if ((await show(screen, signal)) === "cancel") return;
  await app.phone.forget();
  location.reload();
  throw new Cancelled();
}

/** Whether a passkey authenticated this phone. */
async function authenticated(app, wanted) {
  try {
    await app.phone.authenticate(await wanted);
    return true;
  } catch (fault) {
    return missed(fault);
  }
}

/** Whether a passkey was created; an existing one counts, too. */
async function created(app, wanted) {
  try {
    const name = `${t("screen_lock_name")}, ${day(Date.now() / 1000)}`;
    await app.phone.addPasskey(await wanted, name);
    return true;
  } catch (fault) {
    if (!(fault instanceof PasskeyKnown)) return missed(fault);
    return authenticated(app, app.phone.askPasskey());
  }
}

/** Return false for errors that may be retried; rethrow others. */
function missed(fault) {
  if (fault instanceof NoPasskey || MISSED.has(fault.error)) return false;
  throw fault;
}

/** Create a passkey; return whether there is one. */
async function create(app, wanted, ask, signal) {
  while (!(await created(app, wanted))) {
    wanted = prefetch(ask());
    const failed = { name: "screen_lock_failed", parts: [text("screen_lock_failed")],
      actions: ["try_again", "go_without"], kind: "bad" };
    if ((await show(failed, signal)) === "go_without") return false;
  }
  return true;
}

/** Request early: some browsers require the passkey call right after the press. */
function prefetch(promise) {
  promise.catch(() => {});
  return promise;
}
