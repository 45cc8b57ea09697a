/** What a person does with what is theirs, after their own palm was shown: refusals explained. */

import { Refused } from "../service/client.js";
import { text } from "../view/parts.js";
import { show } from "../view/stage.js";
import { presentPalm } from "./palm.js";

/** Frames that are collected; the best one is sent. */
const FRAMES = 2;

/** Refusals with words of their own, by the screen that says them. */
const SAID = {
  palm_mismatch: "own_palm_mismatch",
  device_unbound: "end_device_unbound",
  device_unknown: "end_device_unbound",
  too_many_attempts: "end_too_many_attempts",
};

/**
 * Let the person show their palm until the service takes it, or they give up.
 *
 * @param app
 * @param {(palm: Uint8Array|Blob) => Promise<object>} send
 * @param {AbortSignal} signal
 * @returns {Promise<object|null>} the service's answer; null if the person gave up.
 */
export async function withOwnPalm(app, send, signal) {
  for (;;) {
    try {
      return await presentPalm(app, { name: "capture", needed: FRAMES, sent: 1 }, send, signal);
    } catch (fault) {
      const name = fault instanceof Refused ? SAID[fault.error] : null;
      if (!name) throw fault;
      const actions = [...(name === "own_palm_mismatch" ? ["try_again"] : []), "home"];
      const chosen = await show({ name, parts: [text(name)], actions, kind: "bad" }, signal);
      if (chosen === "home") return null;
    }
  }
}
