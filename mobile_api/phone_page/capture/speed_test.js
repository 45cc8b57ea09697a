/** Measures how long this phone takes for a template, on an empty picture. */

import { ROI_FIT_LANDMARKS, ROI_MEAN_PALM } from "../generated/parameters.js";
import { detectHands } from "../palm/detector.js";
import { downscaled } from "../palm/detector_input.js";
import { cutCrop } from "../palm/crop.js";
import { networkInput } from "../palm/picture.js";

const [WIDTH, HEIGHT] = [1280, 720];
const PALM_PX = 200;
const LANDMARKS = 21;

/** Attempts for a slow phone: it may have been busy. */
const TRIES = 4;

/**
 * Return the milliseconds of a template; a warm-up run does not count.
 *
 * @param networks
 * @param {number} limitMs stop at the first run within this limit.
 */
export async function measureTemplateMs(networks, limitMs) {
  await pass(networks);
  let best = Infinity;
  for (let left = TRIES; left > 0 && best > limitMs; left--) {
    const start = performance.now();
    await pass(networks);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

async function pass(networks) {
  const data = new Uint8Array(WIDTH * HEIGHT * 3).fill(128);
  const picture = { data, width: WIDTH, height: HEIGHT };
  const small = downscaled(picture);
  await detectHands(networks.detector, small, 0, small);
  const crop = { x: WIDTH / 2, y: HEIGHT / 2, side: HEIGHT, angle: 0 };
  for (let read = 0; read < 2; read++) {
    await networks.landmarks(networkInput(cutCrop(small, crop)));
  }
  await networks.palm(picture, { points: meanPalm(), side: "left" });
}

function meanPalm() {
  const points = Array.from({ length: LANDMARKS }, () => ({ x: WIDTH / 2, y: HEIGHT / 2 }));
  ROI_FIT_LANDMARKS.forEach((at, i) => {
    const [x, y] = ROI_MEAN_PALM[i];
    points[at] = { x: WIDTH / 2 + PALM_PX * x, y: HEIGHT / 2 + PALM_PX * y };
  });
  return points;
}
