/**
 * What to say to a person who shows a hand: one short instruction, or that the frame is good.
 * Pure: views in, words out.
 *
 * @typedef {{hand: {points: {x: number, y: number}[], side: string, width: number,
 *   isBack: boolean}|null, quality?: import("../palm/quality.js").Quality, brightness: number,
 *   motion: number, width: number, height: number}} View of one frame; brightness in grey
 *   levels, motion in palm widths a second.
 * @typedef {"show_palm"|"other_side"|"other_hand"|"closer"|"further"|"to_middle"|
 *   "fingers_apart"|"more_light"|"less_glare"|"hold_still"|"burst"} Instruction burst: a
 *   trembling hand is taken as it is.
 */

/** Grey level below which a frame without a hand is called dark. */
const DARK = 40;

/** Width of the palm over the frame's shorter side: below it a person should come closer. */
const FAR = 0.15;

/** Above it, where the hand does not fit the frame, a person should move back. */
const NEAR = 0.42;

/** Palm widths a second from which a hand counts as moving: a tremor stays below. */
const MOVING = 0.6;

/** Landmarks that must be in the frame: wrist, thumb's root, knuckles. */
const NEEDED = [0, 1, 5, 9, 13, 17];

const OF_QUALITY = {
  out_of_frame: "to_middle",
  too_small: "closer",
  bad_pose: "fingers_apart",
  too_dark: "more_light",
  too_bright: "less_glare",
  too_blurred: "hold_still",
};

/** The rules in the order in which a person should be told; the first that applies counts. */
const RULES = [
  ({ hand, brightness }) => !hand && (brightness < DARK ? "more_light" : "show_palm"),
  ({ hand }) => hand.isBack && "other_side",
  ({ hand }, wanted) => wanted && hand.side !== wanted && "other_hand",
  (view) => isCutOff(view) && (spanOf(view) > NEAR ? "further" : "to_middle"),
  (view) => spanOf(view) < FAR && "closer",
  ({ quality }, _wanted, takesAny) =>
    OF_QUALITY[quality?.reason ?? (takesAny ? null : quality?.wish)],
  ({ motion }) => motion > MOVING && "hold_still",
];

/**
 * Return what a person should do, or null if the frame is good.
 *
 * @param {View} view
 * @param {"left"|"right"|null} wanted which hand; null for either.
 * @param {boolean} takesAny whether a frame is good as soon as no gate is closed.
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
  return OF_QUALITY[reason] ?? "show_palm";
}

/** Return how fast a hand moves, in palm widths a second. */
export function motionBetween(before, hand, seconds) {
  if (!before || !hand || !(seconds > 0)) return 0;
  const steps = NEEDED.map((at) =>
    Math.hypot(hand.points[at].x - before.points[at].x, hand.points[at].y - before.points[at].y));
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  return mean / hand.width / seconds;
}

const spanOf = ({ hand, width, height }) => hand.width / Math.min(width, height);

const isCutOff = ({ hand, width, height }) =>
  NEEDED.some((at) => {
    const { x, y } = hand.points[at];
    return x < 0 || y < 0 || x >= width || y >= height;
  });

/** Holds an instruction long enough to be read: it changes every 800 ms at most. */
export class Steady {
  #shown = null;
  #since = -Infinity;

  /** Return what to show now, at a time in milliseconds. */
  next(instruction, now) {
    if (instruction !== this.#shown && now - this.#since >= 800) {
      this.#shown = instruction;
      this.#since = now;
    }
    return this.#shown;
  }
}
