/**
 * Locates the 21 landmarks of one palm. Port of engine/hand/landmarks.py with the same search steps
 * and gates, so that phone and service agree on each frame.
 */

import {
  HAND_CONVINCING_CERTAINTY,
  HAND_CONVINCING_RESIDUAL,
  HAND_CONVINCING_THUMB_LIFT,
  HAND_MIN_PALM_CERTAINTY,
  HAND_MIN_THUMB_LIFT,
  HAND_MIN_WIDTH_PX,
  HANDS_READ,
} from "../generated/parameters.js";
import { detectHands } from "./detector.js";
import { downscaled, SEARCH_STEPS, searchSteps } from "./detector_input.js";
import { readAgain, readHands } from "./reading.js";

/** No palm; code: the service's error code. */
export class NoPalm extends Error {
  /** @param {"palm_not_found"|"back_of_hand"} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/**
 * Return the palm as the service would find it, with all search steps.
 *
 * @param networks {detector, landmarks}.
 * @param {import("./picture.js").Picture} picture
 * @returns {Promise<import("./reading.js").HandReading>} in pixels of the picture.
 */
export async function locatePalm(networks, picture) {
  const small = downscaled(picture);
  const scale = scaleOf(picture, small);
  const minWidth = HAND_MIN_WIDTH_PX / Math.max(scale.x, scale.y);
  const doubtful = [];
  for (const { shown, border } of searchSteps(small)) {
    const detected = await detectHands(networks.detector, shown, border, small);
    const readings = await readHands(networks.landmarks, small, detected.slice(0, HANDS_READ));
    const large = readings.filter(({ width }) => width >= minWidth);
    const convincing = large.filter(convinces);
    if (convincing.length) return scaled(greatest(convincing, "width"), scale);
    doubtful.push(...large);
  }
  return scaled(mostCertain(doubtful), scale);
}

/**
 * Locate a hand for guidance: track the last one, else try one search step. Fast; never used for a
 * template.
 *
 * @param before the last reading, or null.
 * @param {number} rung search step to try without one; the caller counts up.
 * @returns {Promise<import("./reading.js").HandReading|null>} in pixels of the picture.
 */
export async function trackHand(networks, picture, before, rung) {
  const small = downscaled(picture);
  const scale = scaleOf(picture, small);
  if (before) {
    const points = before.points.map(({ x, y }) => ({ x: x / scale.x, y: y / scale.y }));
    const reading = await readAgain(networks.landmarks, small, points);
    if (reading) return scaled(reading, scale);
  }
  const { shown, border } = nth(searchSteps(small), rung % SEARCH_STEPS);
  const detected = await detectHands(networks.detector, shown, border, small);
  const [reading] = await readHands(networks.landmarks, small, detected.slice(0, 1));
  return reading ? scaled(reading, scale) : null;
}

function nth(sequence, number) {
  let at = 0;
  for (const item of sequence) if (at++ === number) return item;
  throw new RangeError("there are fewer search steps");
}

/** Whether a reading is so clearly a palm that the search can stop. */
export const convinces = (reading) =>
  reading.palmCertainty >= HAND_CONVINCING_CERTAINTY &&
  reading.thumbLift >= HAND_CONVINCING_THUMB_LIFT &&
  reading.residual <= HAND_CONVINCING_RESIDUAL;

/** Whether a reading may be a palm; otherwise it is the back of a hand. */
export const isPossible = (reading) =>
  reading.palmCertainty >= HAND_MIN_PALM_CERTAINTY && reading.thumbLift >= HAND_MIN_THUMB_LIFT;

function mostCertain(doubtful) {
  if (!doubtful.length) throw new NoPalm("palm_not_found");
  const possible = doubtful.filter(isPossible);
  if (!possible.length) throw new NoPalm("back_of_hand");
  return greatest(possible, "palmCertainty");
}

const greatest = (readings, key) =>
  readings.reduce((best, reading) => (reading[key] > best[key] ? reading : best));

const scaleOf = (picture, small) => ({
  x: picture.width / small.width,
  y: picture.height / small.height,
});

/** Scale a reading to the whole picture, in single precision like the service. */
function scaled(reading, scale) {
  const points = reading.points.map(({ x, y }) => ({
    x: Math.fround(x * scale.x),
    y: Math.fround(y * scale.y),
  }));
  return { ...reading, points, width: reading.width * Math.max(scale.x, scale.y) };
}
