/** Verifies the person's palm before account actions; explains refusals. */

import { Refused } from "../service/client.js";
import { because } from "../view/parts.js";
import { show } from "../view/stage.js";
import { presentPalm } from "./palm.js";

/**
 * Screens for errors.
 *
 * @typedef {Object<string, {name: string, key?: string, isAgain?: boolean}>} Screens key: of the
 *   text, unless the name.
 */
const SCREENS = {
  palm_mismatch: { name: "own_palm_mismatch", isAgain: true },
  device_unbound: { name: "end_device_unbound" },
  device_unknown: { name: "end_device_unbound" },
  too_many_attempts: { name: "end_too_many_attempts" },
};

/**
 * Let the person show their palm until it is accepted or they give up.
 *
 * @param app
 * @param {(palm: Uint8Array|Blob) => Promise<object>} send
 * @param {AbortSignal} signal
 * @param {Screens} [others] screens instead of the usual ones.
 * @returns {Promise<object|null>} the service's answer; null if the person gave up.
 */
export async function withVerifiedPalm(app, send, signal, others = {}) {
  await app.picturesUnlessTrusted(app.assets);
  for (;;) {
    try {
      return await presentPalm(app, { name: "capture" }, send, signal);
    } catch (fault) {
      const screen = fault instanceof Refused && { ...SCREENS, ...others }[fault.error];
      if (!screen) throw fault;
      const { name, key = name, isAgain } = screen;
      const actions = isAgain ? ["try_again", "home"] : ["home"];
      const failure = { name, parts: [because(key, fault)], actions, kind: "bad" };
      if ((await show(failure, signal)) === "home") return null;
    }
  }
}
