/**
 * The palm graph's quality measures, with the service's reason codes.
 *
 * @typedef {{score: number, reason: string|null, wish: string|null, exposure: number,
 *   focus: number}} Quality score 0 to 100; reason: the gate that failed; wish: what a next frame
 *   could improve; focus: the share of fine detail, 0.5 if very sharp.
 */

import { SEEN_SHARE } from "../generated/parameters.js";

/** Gates in the order of the graph's output `merits`. */
const REASONS = [
  "out_of_frame",
  "too_small",
  "bad_pose",
  "too_dark",
  "too_bright",
  "too_blurred",
  "too_dark", // what is noisy needs light
  "too_blurred", // and what has no texture is not sharp
  "clipped",
];

/**
 * Merits required of a camera frame, where a gate requires only 0: better frames will follow, and a
 * poor one would cost an attempt.
 */
const ASKED = { too_dark: 0.42, too_blurred: 0.22, clipped: 0.5 };

/** Indices in the graph's output `quality`. */
const [FOCUS, EXPOSURE] = [0, 1];

const MIDDLE_GREY = 127.5;

/** Of the mask: 32 × 32 cells. */
const MASK_BYTES = 128;

/**
 * Return the quality from the graph's outputs. A merit of NaN fails its gate.
 *
 * @param {Uint8Array} code its end is the mask: a bit for each cell that shows palm.
 * @param {number} shown the least share of such cells.
 */
export function qualityOf(merits, measures, code, shown = SEEN_SHARE) {
  const measured = { focus: measures[FOCUS], exposure: measures[EXPOSURE] };
  const closed = merits.findIndex((merit) => !(merit >= 0));
  if (closed >= 0) {
    return { ...measured, score: 0, reason: reasonOf(closed, measured.exposure), wish: null };
  }
  const lacking = merits.findIndex((merit, gate) => merit < (ASKED[REASONS[gate]] ?? 0));
  const wish = lacking < 0 ? null : reasonOf(lacking, measured.exposure);
  // Blur and darkness hide the palm, too: what helps then is said first.
  if (seenShare(code) < shown) {
    return { ...measured, score: 0, reason: wish ?? "covered", wish: null };
  }
  const score = Math.max(1, Math.round(100 * Math.min(...merits)));
  return { ...measured, score, reason: null, wish };
}

function reasonOf(gate, exposure) {
  if (REASONS[gate] !== "clipped") return REASONS[gate];
  return exposure < MIDDLE_GREY ? "too_dark" : "too_bright";
}

function seenShare(code) {
  const mask = code.subarray(-MASK_BYTES);
  let seen = 0;
  for (let octet of mask) for (; octet; octet &= octet - 1) seen++;
  return seen / (8 * mask.length);
}
