/**
 * Measures of a moving hand, in palm widths and degrees. Pure functions.
 *
 * @typedef {"fold_thumb"|"spread_fingers"|"close_fingers"|"loose_fist"} Motion
 * @typedef {{thumb: number, spread: number, reach: number, points: {x: number, y: number}[]}} Pose
 *   of a hand; thumb: from its tip to the little finger; spread: between the outer fingers;
 *   reach: from the fingertips to the wrist.
 */

const [WRIST, INDEX, LITTLE] = [0, 5, 17];
const THUMB_TIP = 4;
const TIPS = [8, 12, 16, 20];

/** Motions to choose from; at least two remain. */
export const MOTIONS = ["fold_thumb", "spread_fingers", "close_fingers", "loose_fist"];

/** Motions of one challenge, as the service draws it. */
export const STEPS = 3;

/** Change of each motion's measure, from the open hand, at which the motion is done. */
const CHANGES = {
  fold_thumb: (open, now) => (1 - now.thumb / open.thumb) / 0.4,
  spread_fingers: (open, now) => (now.spread - open.spread) / 10,
  close_fingers: (open, now) => (open.spread - now.spread) / 9,
  loose_fist: (open, now) => (1 - now.reach / open.reach) / 0.4,
};

/** Share by which a tilt of some 20 degrees makes a hand narrower or shorter; most by more. */
const SQUEEZED = 0.045;

/** Palm widths that are left of it then where a hand was turned before: drawn ones 0.024 to 0.08. */
const BENT = 0.03;

/** Return what the motions change. */
export function poseOf({ points }) {
  const width = between(points[INDEX], points[LITTLE]);
  const tips = TIPS.map((at) => between(points[at], points[WRIST]));
  return {
    thumb: between(points[THUMB_TIP], points[LITTLE]) / width,
    spread: angle(minus(points[8], points[INDEX]), minus(points[20], points[LITTLE])),
    reach: tips.reduce((sum, each) => sum + each, 0) / tips.length / width,
    points,
  };
}

/** Return how much of a motion is done: 0 open, 1 done; more is possible. */
export const done = (motion, open, now) => CHANGES[motion](open, now);

/** Return how much of a tilt is done, 1 or more: done. In whichever direction. */
export function tilted(open, now) {
  const [[x, y], [right, down]] = [open, now].map(({ points }) =>
    ["x", "y"].map((axis) => aboutMean(points.map((point) => point[axis]))));
  const [xx, xy, yy] = [dot(x, x), dot(x, y), dot(y, y)];
  const size = xx * yy - xy * xy;
  const row = (to) =>
    [dot(to, x) * yy - dot(to, y) * xy, dot(to, y) * xx - dot(to, x) * xy].map((v) => v / size);
  const [[a, b], [c, d]] = [row(right), row(down)];
  const [turned, squeezed] = [Math.hypot(a + d, c - b), Math.hypot(a - d, b + c)];
  const left = Math.hypot(
    ...right.map((to, at) => to - a * x[at] - b * y[at]),
    ...down.map((to, at) => to - c * x[at] - d * y[at]),
  );
  const width = between(now.points[INDEX], now.points[LITTLE]) * Math.sqrt(x.length);
  return Math.max(2 * squeezed / (turned + squeezed) / SQUEEZED, left / width / BENT);
}

/** Where an open palm is, as the challenge counts it. */
export function placeOf({ points }, { width, height }) {
  const middle = [WRIST, INDEX, LITTLE].map((at) => points[at]);
  const mean = (axis) => middle.reduce((sum, point) => sum + point[axis], 0) / middle.length;
  const size = between(points[INDEX], points[LITTLE]) / Math.min(width, height);
  return { x: mean("x") / width, y: mean("y") / height, size };
}

function aboutMean(values) {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  return values.map((each) => each - mean);
}

const dot = (one, other) => one.reduce((sum, each, at) => sum + each * other[at], 0);

function angle(one, other) {
  const turn = Math.atan2(one.x * other.y - one.y * other.x, one.x * other.x + one.y * other.y);
  return Math.abs(turn) * 180 / Math.PI;
}

const minus = (one, other) => ({ x: one.x - other.x, y: one.y - other.y });

const between = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
