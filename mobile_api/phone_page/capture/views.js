/**
 * The views of a palm that an enrolment asks for, so that its references cover how people show it.
 * Pure functions, compared with the first view that was taken.
 *
 * @typedef {import("./guidance.js").View} View
 */

import { OF_QUALITY, spanOf } from "./guidance.js";
import { done, poseOf, tilted } from "./motions.js";

/** How many times as near, or as far. */
const NEARER = 1.12;

/** Of a palm wider than this, over the frame's shorter side, it should be farther away. */
const MIDDLE = 0.28;

/** Share of a challenge's motion of the fingers. */
const FINGERS = 0.5;

/** Degrees between the outer fingers of a hand that is stretched already. */
const STRETCHED = 25;

function distance(first, now) {
  const nearer = now.hand.width / first.hand.width;
  if (Math.max(nearer, 1 / nearer) >= NEARER) return null;
  return spanOf(first) > MIDDLE ? "further" : "closer";
}

const tilt = (first, now) => (tilted(first.hand, now.hand) >= 1 ? null : "tilt_up");

/** Other light after an extreme one, else a hand that is stretched or relaxed. */
function lightOrFingers(first, now) {
  const wish = OF_QUALITY[first.quality.wish];
  if (wish === "more_light" || wish === "less_glare") {
    return now.quality.wish === first.quality.wish ? wish : null;
  }
  const [open, pose] = [poseOf(first.hand), poseOf(now.hand)];
  const motion = open.spread > STRETCHED ? "close_fingers" : "spread_fingers";
  return done(motion, open, pose) >= FINGERS ? null : motion;
}

const VIEWS = [distance, tilt, lightOrFingers];

/**
 * Return the instruction for the next view, or null if a frame shows it.
 *
 * @param {(View|null)[]} taken views so far, in their order; null: not inspected.
 * @param {View} view
 */
export function viewAsked(taken, view) {
  const [first] = taken;
  return (first && VIEWS[taken.length - 1]?.(first, view)) ?? null;
}
