/**
 * Chooses the instruction for a frame, or accepts it. Pure functions.
 *
 * @typedef {{hand: {points: {x: number, y: number}[], side: string, width: number,
 *   isBack: boolean}|null, quality?: import("../palm/quality.js").Quality, brightness: number,
 *   motion: number, width: number, height: number}} View of one frame; brightness in grey
 *   levels, motion in palm widths a second.
 * @typedef {"show_palm"|"other_side"|"other_hand"|"closer"|"further"|"to_middle"|
 *   "fingers_apart"|"uncover"|"more_light"|"less_glare"|"hold_still"|"burst"|"move_hand"|
 *   "move_left"|"move_right"|"move_up"|"move_down"|"fold_thumb"|"spread_fingers"|
 *   "close_fingers"|"loose_fist"|"tilt_left"|"tilt_right"|"tilt_up"|"tilt_down"} Instruction
 *   burst: a burst of a trembling hand is being taken; move_hand: a picture equals an earlier one.
 */

/** Grey level below which a frame without a hand is dark. */
const DARK = 40;

/** Palm width over the frame's shorter side: closer if below. */
const FAR = 0.15;

/** Further away if above and the hand does not fit the frame. */
const NEAR = 0.42;

/** Palm widths per second above which a hand is moving; a tremor stays below. */
const MOVING = 0.6;

/** Landmarks that must be in the frame: wrist, base of the thumb, knuckles. */
const NEEDED = [0, 1, 5, 9, 13, 17];

/** The instruction for each quality reason. */
export const OF_QUALITY = {
  out_of_frame: "to_middle",
  too_small: "closer",
  bad_pose: "fingers_apart",
  too_dark: "more_light",
  too_bright: "less_glare",
  too_blurred: "hold_still",
  covered: "uncover",
};

/** Rules by priority; the first that applies counts. */
const RULES = [
  ({ hand, brightness }) => !hand && (brightness < DARK ? "more_light" : "show_palm"),
  ({ hand }) => hand.isBack && "other_side",
  ({ hand }, wanted) => wanted && hand.side !== wanted && "other_hand",
  (view, _wanted, takesAny) =>
    isCutOff(view, takesAny) && (spanOf(view) > NEAR ? "further" : "to_middle"),
  (view) => spanOf(view) < FAR && "closer",
  ({ quality }, _wanted, takesAny) =>
    OF_QUALITY[quality?.reason ?? (takesAny ? null : quality?.wish)],
  ({ motion }) => motion > MOVING && "hold_still",
];

/**
 * Return the instruction for a frame, or null if it is good.
 *
 * @param {View} view
 * @param {"left"|"right"|null} wanted required hand; null: either.
 * @param {boolean} takesAny accept every frame that passes the quality gates.
 * @returns {Instruction|null}
 */
export function instructionFor(view, wanted, takesAny = false) {
  for (const rule of RULES) {
    const instruction = rule(view, wanted, takesAny);
    if (instruction) return instruction;
  }
  return null;
}

/** Return the instruction for a refusal of the service. */
export function instructionForRefusal(error, reason) {
  if (error === "back_of_hand") return "other_side";
  if (error === "samples_repeat") return "move_hand";
  return OF_QUALITY[reason] ?? "show_palm";
}

/** Return a hand's speed in palm widths per second. */
export function motionBetween(before, hand, seconds) {
  if (!before || !hand || !(seconds > 0)) return 0;
  const steps = NEEDED.map((at) =>
    Math.hypot(hand.points[at].x - before.points[at].x, hand.points[at].y - before.points[at].y));
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  return mean / hand.width / seconds;
}

/** Palm width over the frame's shorter side. */
export const spanOf = ({ hand, width, height }) => hand.width / Math.min(width, height);

/** A wrist may be outside if every frame will do: of most hands it is, in the lowest outlines. */
const isCutOff = ({ hand, width, height }, takesAny) =>
  NEEDED.slice(takesAny ? 1 : 0).some((at) => {
    const { x, y } = hand.points[at];
    return x < 0 || y < 0 || x >= width || y >= height;
  });

/** Keeps an instruction readable: it changes at most every 800 ms. */
export class Steady {
  #shown = null;
  #since = -Infinity;

  /** Return the instruction to show at a time in milliseconds. */
  next(instruction, now) {
    if (instruction !== this.#shown && now - this.#since >= 800) {
      this.#shown = instruction;
      this.#since = now;
    }
    return this.#shown;
  }
}
