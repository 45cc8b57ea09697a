/**
 * The screen lock of a phone beside its palm: offered once, asked for when the service wants it,
 * and the way back when the browser has forgotten its key.
 */

import { Refused } from "../service/client.js";
import { keptScreenLock, noteScreenLock } from "../service/device_key.js";
import { NoPasskey, PasskeyKnown, hasScreenLock } from "../service/passkey.js";
import { text } from "../view/parts.js";
import { show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";
import { withOwnPalm } from "./own_palm.js";
import { Cancelled } from "./palm.js";

/** Refusals after which the screen lock may be tried again. */
const MISSED = new Set(["passkey_refused", "palm_proof_expired"]);

/** Whether the screen lock may be offered: there is one, and the person did not answer yet. */
export const mayOffer = async () => !(await keptScreenLock()) && hasScreenLock();

/**
 * Offer the screen lock to a person whose palm was just set up. Asks once; no is an answer.
 *
 * @param app
 * @param {string} palmProof
 * @param {AbortSignal} signal
 */
export async function offerScreenLock(app, palmProof, signal) {
  if (!(await mayOffer())) return;
  const ask = () => app.phone.askToCreatePasskey(palmProof);
  const wanted = beforehand(ask());
  const parts = [text("screen_lock"), text("screen_lock_when")];
  const screen = { name: "screen_lock", parts, actions: ["use_screen_lock", "go_without"] };
  if ((await show(screen, signal)) === "go_without") return noteScreenLock("declined");
  await create(app, wanted, ask, signal);
}

/** Add the screen lock later, after a palm. */
export async function addScreenLock(app, signal) {
  const parts = [text("screen_lock"), text("screen_lock_when"), text("delete_me_palm")];
  const screen = { name: "screen_lock", parts, actions: ["use_screen_lock", "cancel"] };
  if ((await show(screen, signal)) === "cancel") return;
  const proved = await withOwnPalm(app, (palm) => app.phone.provePalm(palm), signal);
  if (!proved) return;
  const ask = () => app.phone.askToCreatePasskey(proved.palm_proof);
  const wanted = beforehand(ask());
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
 * Come back to one's account by the screen lock, after the browser forgot its key.
 *
 * @returns {Promise<boolean>} whether this phone is its person's again.
 */
export async function comeBack(app, signal) {
  for (;;) {
    showBusy("opening");
    if (await vouched(app, app.phone.askPasskey())) {
      app.sendTemplates(); // this phone is somebody's again
      return true;
    }
    const screen = { name: "screen_lock_failed", parts: [text("come_back_failed")],
      actions: ["try_again", "cancel"], kind: "bad" };
    if ((await show(screen, signal)) === "cancel") return false;
  }
}

/** Come back by the screen lock, and say what is next. */
export async function returned(app, signal) {
  if (!(await comeBack(app, signal))) return;
  const parts = [text("came_back"), text("home_text")];
  await show({ name: "came_back", parts, actions: ["home"], kind: "good" }, signal);
}

/**
 * Do something; if the service wants the screen lock first, ask for it and do it then.
 *
 * @param app
 * @param {() => Promise<object>} act
 * @param {AbortSignal} signal
 * @throws {Cancelled} the person does not want to, or cannot.
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

/** Ask for the screen lock; return whether it vouched. */
async function confirm(app, name, signal) {
  const wanted = beforehand(app.phone.askPasskey());
  const actions = ["use_screen_lock", "cancel", { key: "lost_screen_lock", look: "quiet" }];
  const kind = name === "screen_lock_failed" ? "bad" : "";
  const chosen = await show({ name, parts: [text("confirm_screen_lock")], actions, kind }, signal);
  if (chosen === "cancel") throw new Cancelled();
  if (chosen === "lost_screen_lock") await beginAnew(app, signal);
  return chosen === "use_screen_lock" && vouched(app, wanted);
}

/** Let this browser forget its key, because its screen lock no longer works. */
async function beginAnew(app, signal) {
  const screen = { name: "lost_screen_lock", parts: [text("lost_screen_lock")],
    actions: ["begin_anew", "cancel"] };
  if ((await show(screen, signal)) === "cancel") return;
  await app.phone.forget();
  location.reload();
  throw new Cancelled();
}

/** Whether a passkey vouched for this phone. */
async function vouched(app, wanted) {
  try {
    await app.phone.vouch(await wanted);
    return true;
  } catch (fault) {
    return missed(fault);
  }
}

/** Whether a passkey was made; one that this phone holds already does as well. */
async function created(app, wanted) {
  try {
    await app.phone.addPasskey(await wanted, t("screen_lock_name"));
    return true;
  } catch (fault) {
    return fault instanceof PasskeyKnown ? vouched(app, app.phone.askPasskey()) : missed(fault);
  }
}

/** Return false for what a person may try again; throw all else. */
function missed(fault) {
  if (fault instanceof NoPasskey || MISSED.has(fault.error)) return false;
  throw fault;
}

async function create(app, wanted, ask, signal) {
  while (!(await created(app, wanted))) {
    wanted = beforehand(ask());
    const failed = { name: "screen_lock_failed", parts: [text("screen_lock_failed")],
      actions: ["try_again", "go_without"], kind: "bad" };
    if ((await show(failed, signal)) === "go_without") return;
  }
  await show({ name: "screen_lock_added", parts: [text("screen_lock_added")],
    actions: ["continue"], kind: "good" }, signal);
}

/** Ask the service while the person reads: some browsers want a press just before. */
function beforehand(promise) {
  promise.catch(() => {});
  return promise;
}
