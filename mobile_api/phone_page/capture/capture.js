/**
 * Collects good frames of one palm automatically, with instructions for the person.
 *
 * For an attempt up to three that differ, within moments; for an enrolment other views.
 *
 * @typedef {{side: "left"|"right"|null, score: number, body: Uint8Array|Blob,
 *   view: import("./guidance.js").View|null}} Kept a frame as it will be sent, with its quality
 *   score.
 */

import { MIN_SCORE, SPACING_MS, MOVING_LIMIT_MS, burst, sharpest } from "./burst.js";
import { instructionFor, instructionForRefusal, motionBetween, Steady } from "./guidance.js";
import { viewAsked } from "./views.js";

/** Without networks, or before they have come, a picture is taken so often, milliseconds. */
const UNGUIDED_MS = 1200;

/** How long to wait for a better frame before accepting any: the light may be bad. */
const BETTER_FRAME_MS = 8000;

/** How long to let the person move the hand before the next frame, milliseconds. */
const MOVE_HAND_MS = 1500;

/** An attempt takes no more frames so long after its first, if it has a good one, milliseconds. */
const ENOUGH_MS = 450;

/** Palm widths by which the frames of an attempt differ: a copy costs, and adds nothing. */
const DIFFERENT = 0.01;

/** How long a view is requested before any other is taken: some hands cannot, milliseconds. */
const VIEW_MS = 4000;

/** For this many milliseconds after a palm, a non-palm may be the same palm, blurred. */
const SMEAR_MS = 500;

export class Capture {
  #steady = new Steady();
  #before = null;
  #movingSince = null;
  #wishedSince = null;
  #firstAt = Infinity;
  #keptAt = -Infinity;
  #palm = { at: -Infinity, isLast: false };

  /**
   * @param {{engine: import("./palm_engine.js").PalmEngine,
   *   camera: import("./camera.js").Camera, mode: import("./palm_engine.js").Mode,
   *   wanted: "left"|"right"|null, needed: number, isAttempt: boolean, hint: string|null,
   *   signal: AbortSignal,
   *   onview: (what: {instruction: string|null, share: number, view: object}) => void,
   *   onlast: (hand: object|null) => void}} given onlast: a frame is taken that may be the last;
   *   isAttempt: no more than needed are wanted, as different as a moment gives; else each, as
   *   another view
   */
  constructor(given) {
    Object.assign(this, given);
    this.kept = [];
  }

  /** @returns {Promise<Kept[]>} frames, best first. */
  async run() {
    if (this.hint === "move_hand") await this.#pause(MOVE_HAND_MS);
    if (!this.engine.canInspect) await this.#unguided();
    if (!this.#isEnough) await this.engine.forget();
    while (!this.#isEnough) {
      this.signal.throwIfAborted();
      await this.#step();
    }
    if (this.kept.length < this.needed) this.onlast(this.#before?.hand ?? null);
    return this.kept.sort((one, other) => other.score - one.score);
  }

  get #isEnough() {
    const isLate = this.isAttempt && performance.now() - this.#firstAt >= ENOUGH_MS;
    const isGood = this.kept.length > 1 || this.kept.some(({ score }) => score >= MIN_SCORE);
    return (isLate && isGood) || this.kept.length >= this.needed;
  }

  async #step() {
    const frame = this.camera.frame();
    if (!frame) return this.#pause(50);
    const at = performance.now();
    const { width, height } = frame;
    const view = { ...(await this.engine.inspect(frame)), width, height };
    this.signal.throwIfAborted();
    view.motion = this.#motion(view.hand, at);
    let instruction = this.#isLapse(view, at) ? "hold_still" : this.#instruction(view, at);
    if (!instruction) instruction = this.#other(view, at);
    const isCopy = this.isAttempt && !this.#isDifferent(view.hand, at);
    if (!instruction && !isCopy) instruction = await this.#taken(this.#keep(view), view.hand);
    if (this.#hasTried(instruction, at)) return this.#burst();
    this.#tell(instruction, view);
    if (!instruction && !this.#isEnough) await this.#pause(SPACING_MS - (performance.now() - at));
  }

  /**
   * Keep a good frame; return null, or an instruction if it turned out to be unusable.
   *
   * @param {import("./guidance.js").View} view
   * @param {object} [frame] default: the frame inspected last.
   */
  async #keep(view, frame) {
    const { quality, hand } = view;
    if (this.mode.sends === "picture") {
      const body = await this.camera.picture(frame, this.isAttempt ? hand : null);
      this.#add({ side: hand.side, score: quality.score, body, view });
      return null;
    }
    try {
      const { side, quality: found, template } = await this.engine.extract(frame);
      if (!template) return instructionForRefusal("quality_too_low", found.reason);
      if (this.wanted && side !== this.wanted) return "other_hand";
      this.#add({ side, score: found.score, body: template, view });
      return null;
    } catch (fault) {
      if (!fault.code) throw fault;
      return instructionForRefusal(fault.code, null);
    }
  }

  #add(kept) {
    this.kept.push(kept);
    this.#keptAt = performance.now();
    this.#firstAt = Math.min(this.#firstAt, this.#keptAt);
  }

  /** Return the instruction for a view that no frame shows yet, for a while. */
  #other(view, at) {
    const isAsked = !this.isAttempt && at - this.#keptAt < VIEW_MS;
    return isAsked ? viewAsked(this.kept.map((each) => each.view), view) : null;
  }

  /** Whether a hand is no copy of one that was kept; after a while any is taken. */
  #isDifferent(hand, at) {
    const differs = ({ view }) => !(motionBetween(view?.hand, hand, 1) < DIFFERENT);
    return at - this.#keptAt >= ENOUGH_MS || this.kept.every(differs);
  }

  /** Freeze the frame that may be the last one while it is worked on. */
  #taken(keeping, hand) {
    if (this.kept.length + 1 >= this.needed) this.onlast(hand);
    return keeping;
  }

  /** Return the instruction for a view, or null; optional improvements time out. */
  #instruction(view, at) {
    const needed = instructionFor(view, this.wanted, true);
    const asked = instructionFor(view, this.wanted);
    if (needed || !asked) this.#wishedSince = null;
    else this.#wishedSince ??= at;
    const isLong = this.#wishedSince !== null && at - this.#wishedSince >= BETTER_FRAME_MS;
    return isLong ? needed : asked;
  }

  /**
   * Whether a trembling palm is only blurred: for a moment it looks like the back of a hand or
   * like no hand.
   */
  #isLapse({ hand }, at) {
    const before = this.#palm;
    const isPalm = Boolean(hand) && !hand.isBack;
    this.#palm = { at: isPalm ? at : before.at, isLast: isPalm };
    if (isPalm || !(hand || this.#movingSince !== null)) return false;
    return before.isLast || at - before.at < SMEAR_MS;
  }

  /** Speed in palm widths per second. */
  #motion(hand, at) {
    const before = this.#before;
    this.#before = hand && { hand, at };
    return motionBetween(before?.hand, hand, (at - (before?.at ?? at)) / 1000);
  }

  /** Whether the hand has been moving for MOVING_LIMIT_MS. */
  #hasTried(instruction, at) {
    if (instruction !== "hold_still") this.#movingSince = null;
    else this.#movingSince ??= at;
    return this.#movingSince !== null && at - this.#movingSince >= MOVING_LIMIT_MS;
  }

  /** Take a burst and keep the sharpest frames that are good except for motion. */
  async #burst() {
    this.#tell("burst", null);
    const looked = await burst(() => this.camera.frame(), (frame) => this.engine.inspect(frame),
      (ms) => this.#pause(ms));
    const good = looked.filter(({ view }) => !instructionFor(view, this.wanted));
    const chosen = sharpest(good, this.needed - this.kept.length);
    const before = this.kept.length;
    for (const { frame, view } of chosen) await this.#taken(this.#keep(view, frame), null);
    this.#movingSince = this.#before = null;
    this.#tell(this.kept.length > before ? null : "hold_still", null);
  }

  #tell(instruction, view) {
    const shown = this.#steady.next(instruction, performance.now());
    this.onview({ instruction: shown, share: this.kept.length / this.needed, view });
  }

  /** Take pictures at intervals until the networks have come; the service judges them. */
  async #unguided() {
    const instruction = this.hint ?? "show_palm";
    while (!this.#isEnough && !this.engine.canInspect) {
      this.onview({ instruction, share: this.kept.length / this.needed, view: null });
      await this.#pause(UNGUIDED_MS);
      if (!this.camera.frame()) continue;
      const body = await this.#taken(this.camera.picture(), null);
      this.#add({ side: null, score: this.kept.length, body, view: null });
    }
  }

  #pause(ms) {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      const timer = setTimeout(() => {
        over.abort();
        resolve();
      }, ms);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      }, { once: true, signal: over.signal });
    });
  }
}
