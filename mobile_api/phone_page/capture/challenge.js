/**
 * Lets a person pass a challenge: asks for it when an open palm is there, follows its steps, sends
 * their frames. The picture is not looked at for its palm: the service does that.
 */

import { packed } from "./frames.js";
import { instructionFor, motionBetween, Steady } from "./guidance.js";
import { StepWatch } from "./challenge_step.js";
import { Refused } from "../service/client.js";

/** Interval of looks where frames cannot be inspected, and before the camera gives any. */
const UNSEEN_MS = 100;

/** How long a palm that cannot be inspected is waited for, milliseconds. */
const PALM_MS = 2500;

/** The step took longer than the service waits for it. */
const TOO_LATE = { error: "challenge_failed", reason: "too_late" };

export class Challenge {
  #steady = new Steady();
  #before = null;
  #view = null;

  /**
   * @param {{engine: import("./palm_engine.js").PalmEngine,
   *   camera: import("./camera.js").Camera, wanted: "left"|"right"|null, signal: AbortSignal,
   *   onview: (what: object) => void, ask: () => Promise<object>,
   *   send: (id: string, number: number, body: Uint8Array) => Promise<object>}} given
   */
  constructor(given) {
    Object.assign(this, given);
  }

  /** @returns {Promise<{body: {challenge: string}}[]>} what is sent in the place of a picture. */
  async run() {
    if (this.engine.canInspect) await this.engine.forget();
    const start = performance.now();
    while (await this.#isNoPalm(start)) this.signal.throwIfAborted();
    const { challenge_id: id, steps, step } = await this.ask();
    let unseen = null;
    for (let asked = step; asked;) {
      let isSent = false;
      try {
        const { frames, isSeen } = await this.#framesOf(asked, steps);
        if (!isSeen && this.engine.canInspect) unseen ??= asked;
        isSent = true;
        ({ step: asked = null } = await this.send(id, asked.number, packed(frames)));
      } catch (fault) {
        // The service judges all motions at the end, and does not say which it refused.
        const isJudged = isSent && asked.number === steps;
        const about = isJudged ? unseen && ["unseen", unseen] : ["stopped", asked];
        throw Object.assign(fault, { at: about && { key: `challenge_${about[0]}`, steps,
          step: about[1].number, motion: about[1].motion } });
      }
    }
    return [{ body: { challenge: id } }];
  }

  async #isNoPalm(start) {
    const view = await this.#look();
    if (!view) return view === undefined || performance.now() - start < PALM_MS;
    const wrong = instructionFor(view, this.wanted, true);
    if (wrong === "hold_still" && !view.quality.reason) return false;
    this.onview({ instruction: this.#steady.next(wrong, performance.now()), share: 0, view });
    return Boolean(wrong);
  }

  async #framesOf(step, steps) {
    const received = performance.now();
    const { isFacingPerson: isMirrored } = this.camera;
    const watch = new StepWatch(step, { wanted: this.wanted, isMirrored });
    const tell = (say, at) => this.onview({ step, steps, view: this.#view,
      instruction: this.#said(watch, say, at), share: (step.number - 1 + watch.share) / steps });
    tell(watch.wayFrom(this.#view), received);
    let frames = [];
    while (!watch.isDone) {
      this.signal.throwIfAborted();
      const at = performance.now();
      if (at - received > step.answer_within_ms) throw new Refused(0, TOO_LATE);
      const view = await this.#look(watch.isPlaced);
      if (view === undefined) continue;
      const { say, take, isAgain } = watch.next(view, at);
      if (isAgain) frames = frames.filter(({ phase }) => phase !== "moved");
      const jpeg = take && this.camera.smallPicture();
      if (take) frames.push({ at: at - received, phase: take, jpeg });
      tell(say, at);
    }
    const jpegs = await Promise.all(frames.map(({ jpeg }) => jpeg));
    return { frames: frames.map((one, at) => ({ ...one, jpeg: jpegs[at] })), isSeen: watch.isSeen };
  }

  /** What is said on the way to the place changes slowly, what is said of the motion at once. */
  #said(watch, say, at) {
    return watch.isPlaced ? say : this.#steady.next(say, at);
  }

  /** Return what a frame shows; null if it cannot be inspected, undefined if there is none yet. */
  async #look(isMoving = false) {
    const frame = this.camera.frame();
    if (!frame || !this.engine.canInspect) {
      await new Promise((resolve) => setTimeout(resolve, UNSEEN_MS));
      return frame ? null : undefined;
    }
    const at = performance.now();
    const { width, height } = frame;
    const seen = await this.engine.inspect(frame, isMoving);
    this.signal.throwIfAborted();
    const before = this.#before;
    this.#before = seen.hand && { hand: seen.hand, at };
    const motion = motionBetween(before?.hand, seen.hand, (at - (before?.at ?? at)) / 1000);
    this.#view = { ...seen, width, height, motion };
    return this.#view;
  }
}
