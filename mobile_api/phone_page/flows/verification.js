/** Verifies the person's palm before account actions; explains refusals. */

import { Refused } from "../service/client.js";
import { text } from "../view/parts.js";
import { show } from "../view/stage.js";
import { presentPalm } from "./palm.js";

/** Frames collected; the best one is sent. */
const FRAMES = 2;

/** Screens for errors. */
const SCREENS = {
  palm_mismatch: "own_palm_mismatch",
  device_unbound: "end_device_unbound",
  device_unknown: "end_device_unbound",
  too_many_attempts: "end_too_many_attempts",
};

/**
 * Let the person show their palm until it is accepted or they give up.
 *
 * @param app
 * @param {(palm: Uint8Array|Blob) => Promise<object>} send
 * @param {AbortSignal} signal
 * @returns {Promise<object|null>} the service's answer; null if the person gave up.
 */
export async function withVerifiedPalm(app, send, signal) {
  for (;;) {
    try {
      return await presentPalm(app, { name: "capture", needed: FRAMES, sent: 1 }, send, signal);
    } catch (fault) {
      const name = fault instanceof Refused ? SCREENS[fault.error] : null;
      if (!name) throw fault;
      const actions = [...(name === "own_palm_mismatch" ? ["try_again"] : []), "home"];
      const chosen = await show({ name, parts: [text(name)], actions, kind: "bad" }, signal);
      if (chosen === "home") return null;
    }
  }
}
