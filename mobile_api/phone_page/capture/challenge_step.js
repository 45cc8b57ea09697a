/**
 * Follows one step of a challenge: open palm in its place, motion, hold, open again, tilt. Decides
 * what is said and which frames are taken; the service judges them. Knows no camera.
 *
 * @typedef {{number: number, motion: import("./motions.js").Motion, hold_ms: number,
 *   outline: {x: number, y: number, size: number}, tilt_deg: number|null,
 *   answer_within_ms: number}} Step
 * @typedef {{say: string, take?: "open"|"moved"|"back"|"tilted", isAgain?: boolean}} Instruction what to
 *   say; take: keep this frame; isAgain: the frames of the motion do not count.
 */

import { MOVING_LIMIT_MS } from "./burst.js";
import { instructionFor } from "./guidance.js";
import { done, placeOf, poseOf, tilted } from "./motions.js";

/** Distance of the palm's centre from its place, share of the frame; the service allows 0.04. */
const OFF = 0.035;

/** Difference of the palm's width from the asked one; the service allows 0.16. */
const OFF_SIZE = 0.09;

/** Who does a motion less far than most is taken as they are after this many milliseconds. */
const PATIENCE_MS = 6000;

/** An open hand that is not good to see is taken after this many. */
const BACK_MS = 2500;

/** Where frames cannot be inspected, each part of a step takes this long, milliseconds. */
const UNSEEN_MS = 1800;

/** So much earlier than asked a hold may end, milliseconds: the way back counts, too. */
const HOLD_LESS_MS = 300;

/** Between two frames, milliseconds; the service wants 50. */
const APART_MS = 80;

/** So much less than asked a hold may last with the way back; the service allows 100. */
const HOLD_SHORT_MS = 50;

/** A motion counts as left below this share of it, and as undone below the other. */
const [LEFT, UNDONE] = [0.6, 0.5];

/** A motion or a tilt that grows by less from one look to the next is done, as a factor. */
const STEADY = 1.15;

const PARTS = ["place", "move", "hold", "back", "tilt"];

/** What is said of a tilt, from 0 degrees on, a quarter each. */
const TILTS = ["tilt_right", "tilt_up", "tilt_left", "tilt_down"];

const MIRRORED = { left: "right", right: "left" };

export class StepWatch {
  #part = "place";
  #since = null;
  #movingSince = null;
  #movedAt = null;
  #moved = 0;
  #open = null;
  #still = null;
  #tilt = 0;
  #isSeen = false;

  /**
   * @param {Step} step
   * @param {{wanted: "left"|"right"|null, isMirrored: boolean}} given isMirrored: the person sees
   *   a mirror, and right is left.
   */
  constructor(step, { wanted = null, isMirrored = false }) {
    Object.assign(this, { step, wanted, isMirrored });
  }

  /** Whether the step is done. */
  get isDone() {
    return this.#part === null;
  }

  /** Whether the motion was seen, not only waited for. */
  get isSeen() {
    return this.#isSeen;
  }

  /** Whether the palm has been in its place. */
  get isPlaced() {
    return this.#part !== "place";
  }

  /** How much of the step is done, 0 to 1. */
  get share() {
    return this.isDone ? 1 : PARTS.indexOf(this.#part) / PARTS.length;
  }

  /** Return what to say of a view from before the step. */
  wayFrom(view) {
    if (!view?.hand) return "show_palm";
    const said = offPlace(view, this.step.outline) ?? "good";
    return this.isMirrored ? mirrored(said) : said;
  }

  /**
   * Return what to do with a frame.
   *
   * @param {import("./guidance.js").View|null} view null: frames cannot be inspected.
   * @param {number} at milliseconds.
   * @returns {Instruction}
   */
  next(view, at) {
    this.#since ??= at;
    const instruction = this[this.#part](view, at);
    return { ...instruction, say: this.isMirrored ? mirrored(instruction.say) : instruction.say };
  }

  place(view, at) {
    const wrong = view && this.#wrongOf(view, at);
    if (wrong) return { say: wrong };
    if (!view && !this.#isLong(at, UNSEEN_MS)) return { say: "show_palm" };
    this.#open = view && poseOf(view.hand);
    return { ...this.#go("move", at), take: "open" };
  }

  move(view, at) {
    this.#moved = this.#done(view);
    this.#isSeen = this.#moved >= 1;
    if (!this.#isReached(this.#isSeen, view, at, PATIENCE_MS)) return { say: this.step.motion };
    this.#movedAt = at;
    return { ...this.#go("hold", at), take: "moved" };
  }

  /** A hold ends early for a motion that has come to its end: the way back takes its time. */
  hold(view, at) {
    const [moved, before] = [this.#done(view), this.#moved];
    this.#moved = moved;
    if (this.#isSeen && moved < LEFT) return { ...this.#go("move", at), isAgain: true };
    const less = moved > before * STEADY ? 0 : HOLD_LESS_MS;
    if (!this.#isLong(at, Math.max(APART_MS, this.step.hold_ms - less))) return { say: "good" };
    return { ...this.#go("back", at), take: "moved" };
  }

  back(view, at) {
    const isOpen = this.#done(view) <= UNDONE;
    const isHeld = at - this.#movedAt >= this.step.hold_ms - HOLD_SHORT_MS;
    const isBack = isOpen && isHeld && !instructionFor(view, this.wanted, true);
    const patience = isOpen ? BACK_MS : PATIENCE_MS;
    if (!this.#isReached(isBack, view, at, patience)) return { say: "show_palm" };
    this.#open = view?.hand ? poseOf(view.hand) : this.#open;
    return { ...this.#go(this.step.tilt_deg === null ? null : "tilt", at), take: "back" };
  }

  /** A tilt counts from two looks: the first after a fist is not exact. It has come to its end. */
  tilt(view, at) {
    const pose = view?.hand && poseOf(view.hand);
    const opens = [this.#open, this.#still ?? pose];
    const share = pose ? Math.min(...opens.map((open) => tilted(open, pose))) : 0;
    const isEnd = share >= 1 && share <= this.#tilt * STEADY;
    if (pose) this.#still ??= pose;
    this.#tilt = share;
    if (!this.#isReached(isEnd, view, at, PATIENCE_MS)) return { say: SAID.tilt(this.step) };
    return { ...this.#go(null, at), take: "tilted" };
  }

  /** Begin the next part; null: there is none. */
  #go(part, at) {
    this.#part = part;
    this.#since = at;
    return { say: part ? SAID[part](this.step) : "good" };
  }

  /** Return how much of the motion is done. A fist may not look like a hand any more. */
  #done(view) {
    if (view?.hand) return done(this.step.motion, this.#open, poseOf(view.hand));
    return view && this.step.motion === "loose_fist" ? 1 : NaN;
  }

  #isLong(at, ms) {
    return at - this.#since >= ms;
  }

  /** Whether a part is done, by sight or by time. */
  #isReached(isSeen, view, at, patienceMs) {
    return isSeen || this.#isLong(at, view ? patienceMs : UNSEEN_MS);
  }

  /** Return what is wrong with an open palm; a tremor is waited for, but not for ever. */
  #wrongOf(view, at) {
    const wrong = instructionFor(view, this.wanted, true);
    if (wrong && (wrong !== "hold_still" || view.quality?.reason)) return wrong;
    const off = offPlace(view, this.step.outline);
    if (off || !wrong) this.#movingSince = null;
    else this.#movingSince ??= at;
    const isTremor = this.#movingSince !== null && at - this.#movingSince > MOVING_LIMIT_MS;
    return off ?? (isTremor ? null : wrong);
  }
}

/** What is said when a part begins. */
const SAID = {
  move: ({ motion }) => motion,
  hold: () => "good",
  back: () => "show_palm",
  tilt: ({ tilt_deg: degrees }) => TILTS[Math.round(degrees / 90) % TILTS.length],
};

/** Return how a palm comes to its place, or null if it is there. */
function offPlace(view, { x, y, size }) {
  const place = placeOf(view.hand, view);
  if (place.size < size * (1 - OFF_SIZE)) return "closer";
  if (place.size > size * (1 + OFF_SIZE)) return "further";
  const [right, down] = [x - place.x, y - place.y];
  if (Math.max(Math.abs(right), Math.abs(down)) <= OFF) return null;
  if (Math.abs(right) > Math.abs(down)) return right > 0 ? "move_right" : "move_left";
  return down > 0 ? "move_down" : "move_up";
}

const mirrored = (say) => say.replace(/_(left|right)$/, (_, side) => `_${MIRRORED[side]}`);
