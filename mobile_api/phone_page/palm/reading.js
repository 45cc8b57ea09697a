/**
 * The landmark network's reading of a crop: 21 points, presence, handedness. Port of
 * engine/hand/reading.py and landmarks.py.
 *
 * @typedef {{points: import("./detector.js").Point[], presence: number, right: number,
 *   thumbLift: number, width: number, residual: number, side: "left"|"right",
 *   palmCertainty: number}} HandReading
 */

import {
  HAND_MAX_RESIDUAL,
  HAND_MIN_FIRST_PRESENCE,
  HAND_MIN_PRESENCE,
  ROI_FIT_LANDMARKS,
  ROI_MEAN_PALM,
} from "../generated/parameters.js";
import {
  agrees, cropOfDetection, cropOfLandmarks, cutCrop, isUsable, toPicture,
} from "./crop.js";
import { networkInput } from "./picture.js";

const [WRIST, INDEX, LITTLE] = [0, 5, 17];
const THUMB = [1, 2, 3, 4];
const LANDMARKS = 21;

/** Read each detected hand, twice unless its first crop lay well; drop what is not a hand. */
export async function readHands(network, picture, detected) {
  const readings = [];
  for (const hand of detected) {
    const crop = cropOfDetection(hand);
    const first = await ask(network, picture, crop);
    if (first.presence < HAND_MIN_FIRST_PRESENCE) continue;
    const reading = agrees(crop, cropOfLandmarks(first.points))
      ? asHand(first)
      : await readAgain(network, picture, first.points);
    if (reading) readings.push(reading);
  }
  return readings;
}

/** Read a hand in the crop of its landmarks; null if there is none. */
export async function readAgain(network, picture, points) {
  return asHand(await ask(network, picture, cropOfLandmarks(points)));
}

function asHand(answer) {
  const reading = judged(answer);
  const isHand = reading.presence >= HAND_MIN_PRESENCE && reading.residual <= HAND_MAX_RESIDUAL;
  return isHand ? reading : null;
}

/** Run the network on one crop; a crop of no size holds no hand. */
async function ask(network, picture, crop) {
  if (!isUsable(crop)) return { points: [], presence: 0, right: 0.5, world: [] };
  const { landmarks, presence, handedness, world } =
    await network(networkInput(cutCrop(picture, crop)));
  return {
    points: triples(landmarks).map(([x, y]) => toPicture({ x, y }, crop)),
    presence: presence[0],
    right: handedness[0],
    world: triples(world),
  };
}

const triples = (numbers) =>
  Array.from({ length: LANDMARKS }, (_, at) => numbers.subarray(3 * at, 3 * at + 3));

function judged({ points, presence, right, world }) {
  if (!points.length) return { presence: 0, residual: Infinity };
  const side = palmarSide(points);
  return {
    points,
    presence,
    right,
    thumbLift: thumbLift(world),
    ...fit(points, side),
    side,
    palmCertainty: side === "right" ? right : 1 - right,
  };
}

/** Return which hand it is, if it shows its palm in an unmirrored picture. */
export function palmarSide(points) {
  const across = minus(points[LITTLE], points[INDEX]);
  const down = minus(points[WRIST], points[INDEX]);
  return across.x * down.y - across.y * down.x < 0 ? "right" : "left";
}

/** Return how far the thumb is in front of the plane of wrist and outer knuckles. */
export function thumbLift(world) {
  const from = world[INDEX];
  const across = world[LITTLE].map((value, at) => value - from[at]);
  const down = world[WRIST].map((value, at) => value - from[at]);
  const normal = [
    across[1] * down[2] - across[2] * down[1],
    across[2] * down[0] - across[0] * down[2],
    across[0] * down[1] - across[1] * down[0],
  ];
  const size = Math.hypot(...normal) * Math.hypot(...across);
  if (!(size > 0)) return -Infinity;
  const depth = (point) => point.reduce((sum, v, at) => sum + (v - from[at]) * normal[at], 0);
  const mean = THUMB.reduce((sum, at) => sum + depth(world[at]), 0) / THUMB.length;
  return ((normal[2] > 0 ? -1 : 1) * mean) / size;
}

/** Return the palm's width and its residual to the mean palm; infinite without a palm. */
function fit(points, side) {
  const flip = side === "right" ? -1 : 1;
  const palm = ROI_FIT_LANDMARKS.map((at) => ({ x: flip * points[at].x, y: points[at].y }));
  const mean = ROI_MEAN_PALM.map(([x, y]) => ({ x, y }));
  const [p, q] = [centred(mean), centred(palm)];
  const total = (value) => p.reduce((sum, _, at) => sum + value(p[at], q[at]), 0);
  const size = total((a) => a.x * a.x + a.y * a.y);
  const along = total((a, b) => a.x * b.x + a.y * b.y) / size;
  const across = total((a, b) => a.x * b.y - a.y * b.x) / size;
  const width = Math.hypot(along, across);
  if (!(width >= 1 && width < Infinity)) return { width: 0, residual: Infinity };
  const misfit = total((a, b) =>
    (b.x - along * a.x + across * a.y) ** 2 + (b.y - across * a.x - along * a.y) ** 2);
  return { width, residual: Math.sqrt(misfit / p.length) / width };
}

function centred(points) {
  const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean("x"), mean("y")];
  return points.map((point) => ({ x: point.x - x, y: point.y - y }));
}

const minus = (one, other) => ({ x: one.x - other.x, y: one.y - other.y });
