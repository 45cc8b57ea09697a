/** Deletes the account, after explanation and palm. */

import { longCode, text } from "../view/parts.js";
import { quiet, show } from "../view/stage.js";
import { withVerifiedPalm } from "./verification.js";
import { confirmed } from "./screen_lock.js";

/**
 * Delete this phone's account and key.
 *
 * @returns {Promise<boolean>} whether it was deleted.
 * @throws {Cancelled} the person does not want to show a palm, or the screen lock.
 */
export async function deleteMe(app, signal) {
  const words = ["delete_me", "delete_me_apps", "delete_me_palm", "delete_me_later"];
  const actions = [{ key: "delete_after_palm", look: "removal" }, "cancel", quiet("deletion_code")];
  const screen = { name: "delete_me", parts: words.map((key) => text(key)), actions };
  const asked = await show(screen, signal);
  if (asked === "deletion_code") await showCode(app, signal);
  if (asked !== "delete_after_palm") return false;
  const proved = await withVerifiedPalm(app, (palm) => app.phone.provePalm(palm), signal);
  if (!proved) return false;
  await confirmed(app, () => deleted(app, proved.palm_proof), signal);
  await app.phone.forget({ isDeleted: true });
  await show({ name: "deleted", parts: [text("deleted")], actions: ["home"], kind: "good" });
  return true;
}

/** Delete the account; where an answer was lost, the next one does not know this phone. */
async function deleted(app, proof) {
  try {
    await app.phone.deleteAccount(proof);
  } catch (fault) {
    if (!fault.isRepeated || fault.error !== "device_unknown") throw fault;
  }
}

/** Show a deletion code, with which the operator can delete the account later. */
async function showCode(app, signal) {
  app.account.close();
  const said = await app.account.use((proof) => app.phone.deletionCode(proof), signal);
  if (!said) return;
  const parts = [longCode(said.deletion_code), text("deletion_code")];
  await show({ name: "deletion_code", parts, actions: ["home"], stays: true }, signal);
}
