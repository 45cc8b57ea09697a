/**
 * Measures of a moving hand, in palm widths and degrees. Pure functions.
 *
 * @typedef {"fold_thumb"|"spread_fingers"|"close_fingers"|"loose_fist"} Motion
 * @typedef {{thumb: number, spread: number, reach: number, palm: {x: number, y: number}[]}} Pose
 *   of a hand; thumb: from its tip to the little finger; spread: between the outer fingers;
 *   reach: from the fingertips to the wrist.
 */

const [WRIST, INDEX, LITTLE] = [0, 5, 17];
const THUMB_TIP = 4;
const TIPS = [8, 12, 16, 20];
const PALM = [0, 5, 9, 13, 17];

/** Motions to choose from; at least two remain. */
export const MOTIONS = ["fold_thumb", "spread_fingers", "close_fingers", "loose_fist"];

/** Change of each motion's measure, from the open hand, at which the motion is done. */
const CHANGES = {
  fold_thumb: (open, now) => (1 - now.thumb / open.thumb) / 0.4,
  spread_fingers: (open, now) => (now.spread - open.spread) / 10,
  close_fingers: (open, now) => (open.spread - now.spread) / 9,
  loose_fist: (open, now) => (1 - now.reach / open.reach) / 0.4,
};

/** Share by which a tilt of some 20 degrees shortens the palm. */
const SHORTENED = 0.06;

/** Return what the motions change. */
export function poseOf({ points }) {
  const width = between(points[INDEX], points[LITTLE]);
  const tips = TIPS.map((at) => between(points[at], points[WRIST]));
  return {
    thumb: between(points[THUMB_TIP], points[LITTLE]) / width,
    spread: angle(minus(points[8], points[INDEX]), minus(points[20], points[LITTLE])),
    reach: tips.reduce((sum, each) => sum + each, 0) / tips.length / width,
    palm: PALM.map((at) => points[at]),
  };
}

/** Return how much of a motion is done: 0 open, 1 done; more is possible. */
export const done = (motion, open, now) => CHANGES[motion](open, now);

/** Return how much of a tilt to a direction is done, 0 to 1; degrees, 90 is up. */
export function tilted(degrees, open, now) {
  return (1 - lengthened(degrees, now.palm) / lengthened(degrees, open.palm)) / SHORTENED;
}

/** Where an open palm is, as the challenge counts it. */
export function placeOf({ points }, { width, height }) {
  const middle = [WRIST, INDEX, LITTLE].map((at) => points[at]);
  const mean = (axis) => middle.reduce((sum, point) => sum + point[axis], 0) / middle.length;
  const size = between(points[INDEX], points[LITTLE]) / Math.min(width, height);
  return { x: mean("x") / width, y: mean("y") / height, size };
}

/** Return the palm's length along a direction over its length across. */
function lengthened(degrees, palm) {
  const [cos, sin] = [Math.cos(degrees * Math.PI / 180), -Math.sin(degrees * Math.PI / 180)];
  const along = deviation(palm.map(({ x, y }) => x * cos + y * sin));
  return along / deviation(palm.map(({ x, y }) => y * cos - x * sin));
}

function deviation(values) {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  return Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0));
}

function angle(one, other) {
  const turn = Math.atan2(one.x * other.y - one.y * other.x, one.x * other.x + one.y * other.y);
  return Math.abs(turn) * 180 / Math.PI;
}

const minus = (one, other) => ({ x: one.x - other.x, y: one.y - other.y });

const between = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
