/**
 * Collects good frames of one palm: looks, says what to do, keeps what is good. No shutter.
 *
 * @typedef {{side: "left"|"right"|null, score: number, body: Uint8Array|Blob}} Kept a frame
 *   as it will be sent, and how good it is.
 */

import { instructionFor, instructionForRefusal, motionBetween, Steady } from "./guidance.js";

/** After so many milliseconds of "hold still" a trembling hand is taken as still as it gets. */
const PATIENCE_MS = 3000;

/** Frames that are kept are so many milliseconds apart: two of one instant teach nothing. */
const APART_MS = 150;

/** Without networks a picture is taken every so many milliseconds. */
const BLIND_MS = 1200;

export class Capture {
  #steady = new Steady();
  #before = null;
  #stillSince = null;

  /**
   * @param {{engine: import("./palm_engine.js").PalmEngine,
   *   camera: import("./camera.js").Camera, mode: import("./palm_engine.js").Mode,
   *   wanted: "left"|"right"|null, needed: number, hint: string|null, signal: AbortSignal,
   *   onview: (what: {instruction: string|null, share: number, view: object}) => void}} given
   */
  constructor(given) {
    Object.assign(this, given);
    this.kept = [];
  }

  /** @returns {Promise<Kept[]>} the frames, best first. */
  async run() {
    if (!this.engine.canLook) return this.#blind();
    await this.engine.forget();
    while (this.kept.length < this.needed) {
      this.signal.throwIfAborted();
      await this.#step();
    }
    return this.kept.sort((one, other) => other.score - one.score);
  }

  async #step() {
    const frame = this.camera.frame();
    if (!frame) return pause(50, this.signal);
    const at = performance.now();
    const { width, height } = frame;
    const view = { ...(await this.engine.look(frame)), width, height };
    view.motion = this.#motion(view.hand, at);
    let instruction = instructionFor(view, this.wanted);
    if (!instruction) instruction = await this.#keep(view);
    this.#noteStillness(instruction, at);
    this.#tell(instruction, view);
    if (!instruction) await pause(APART_MS, this.signal);
  }

  /** Keep a good frame; return what was wrong with it after all, or null. */
  async #keep({ quality, hand }) {
    if (this.mode.sends === "picture") {
      this.kept.push({ side: hand.side, score: quality.score, body: await this.camera.picture() });
      return null;
    }
    try {
      const { side, quality: found, template } = await this.engine.extract();
      if (!template) return instructionForRefusal("quality_too_low", found.reason);
      if (this.wanted && side !== this.wanted) return "other_hand";
      this.kept.push({ side, score: found.score, body: template });
      return null;
    } catch (fault) {
      if (!fault.code) throw fault;
      return instructionForRefusal(fault.code, null);
    }
  }

  /** Palm widths a second, the less the longer a hand has tried to hold still. */
  #motion(hand, at) {
    const before = this.#before;
    this.#before = hand && { hand, at };
    const tried = this.#stillSince === null ? 0 : at - this.#stillSince;
    const patience = 1 + Math.max(0, tried - PATIENCE_MS) / PATIENCE_MS;
    return motionBetween(before?.hand, hand, (at - (before?.at ?? at)) / 1000) / patience;
  }

  #noteStillness(instruction, at) {
    if (instruction !== "hold_still") this.#stillSince = null;
    else this.#stillSince ??= at;
  }

  #tell(instruction, view) {
    const shown = this.#steady.next(instruction, performance.now());
    this.onview({ instruction: shown, share: this.kept.length / this.needed, view });
  }

  /** Take pictures one after the other; the service judges them. */
  async #blind() {
    const instruction = this.hint ?? "show_palm";
    while (this.kept.length < this.needed) {
      this.onview({ instruction, share: this.kept.length / this.needed, view: null });
      await pause(BLIND_MS, this.signal);
      if (!this.camera.frame()) continue;
      this.kept.push({ side: null, score: 0, body: await this.camera.picture() });
    }
    return this.kept;
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}
