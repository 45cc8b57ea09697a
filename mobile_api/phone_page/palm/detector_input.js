/** Input of the detector: downscaled pictures, grey ones tinted like skin. */

import {
  HAND_BORDERS,
  HAND_GREY_SAMPLING,
  HAND_GREY_SPREAD,
  HAND_HALVED_PX,
  HAND_LOOK_PX,
  HAND_PICTURE_PX,
  HAND_TINT,
  HAND_TINT_CLIPPED_SHARE,
} from "../generated/parameters.js";
import { roundHalfEven, shrunk, shrunkTo } from "./picture.js";

/** Downscale a picture for several detections. */
export function downscaled(picture) {
  const longest = Math.max(picture.width, picture.height);
  let shrink = HAND_PICTURE_PX / longest;
  if (shrink >= 1) return picture;
  if (longest >= HAND_HALVED_PX) shrink = Math.min(shrink, 0.5);
  const size = (side) => Math.max(roundHalfEven(side * shrink), 1);
  return shrunkTo(picture, size(picture.width), size(picture.height));
}

/** Yield the detector's inputs and borders, most promising first. */
export function* searchSteps(full) {
  const picture = shrunk(full, Math.max(full.width, full.height) / HAND_LOOK_PX);
  const looks = isGrey(picture) ? [tinted, unchanged] : [unchanged, tinted];
  for (const look of looks) {
    const shown = look(picture);
    for (const border of HAND_BORDERS) yield { shown, border };
  }
}

/** Number of search steps: two variants with each border. */
export const SEARCH_STEPS = 2 * HAND_BORDERS.length;

const unchanged = (picture) => picture;

/** Whether a picture is grey: its channels hardly differ. */
export function isGrey({ data, width, height }) {
  let sum = 0;
  let count = 0;
  for (let y = 0; y < height; y += HAND_GREY_SAMPLING) {
    for (let x = 0; x < width; x += HAND_GREY_SAMPLING, count++) {
      const at = (y * width + x) * 3;
      sum += Math.abs(data[at + 1] - data[at]) + Math.abs(data[at + 2] - data[at + 1]);
    }
  }
  return sum / count <= HAND_GREY_SPREAD;
}

/** Make a picture grey, stretch its contrast and tint it like skin. */
export function tinted({ data, width, height }) {
  const count = width * height;
  const grey = new Uint8Array(count);
  const histogram = new Float64Array(256);
  for (let i = 0, from = 0; i < count; i++, from += 3) {
    grey[i] = luma(data[from], data[from + 1], data[from + 2]);
    histogram[grey[i]]++;
  }
  const table = skinTable(...levels(histogram, count));
  const result = new Uint8Array(3 * count);
  for (let i = 0, to = 0; i < count; i++) {
    for (let c = 0; c < 3; c++, to++) result[to] = table[c][grey[i]];
  }
  return { data: result, width, height };
}

/** ITU-R BT.601 luma in integers, like OpenCV. */
export const luma = (red, green, blue) =>
  (red * 9798 + green * 19235 + blue * 3735 + (1 << 14)) >> 15;

function levels(histogram, count) {
  let total = 0;
  let low = -1;
  for (let level = 0; level < 256; level++) {
    total += histogram[level];
    if (low < 0 && total / count >= HAND_TINT_CLIPPED_SHARE) low = level;
    if (total / count >= 1 - HAND_TINT_CLIPPED_SHARE) return [low, level];
  }
  return [low, 255];
}

function skinTable(low, high) {
  return HAND_TINT.map(([peak, gamma]) =>
    Uint8Array.from({ length: 256 }, (_, grey) => {
      const level = Math.min(Math.max((grey - low) / Math.max(high - low, 1), 0), 1);
      return roundHalfEven(peak * level ** gamma);
    }),
  );
}
