/**
 * The palm detection network and its decoding. Port of engine/hand/detector.py, which explains the
 * numbers.
 *
 * @typedef {{x: number, y: number}} Point
 * @typedef {{centre: Point, width: number, height: number, wrist: Point, knuckle: Point,
 *   score: number}} DetectedHand in pixels of the picture.
 */

import {
  DETECTOR_GRIDS,
  DETECTOR_INPUT_PX,
  DETECTOR_MAX_OVERLAP,
  DETECTOR_MIN_SCORE,
} from "../generated/parameters.js";
import { networkInput, roundHalfEven, shrunkTo } from "./picture.js";

const ROW = 18;
const WRIST = 4;
const KNUCKLE = 8;
const LOGIT_LIMIT = 100;

/**
 * Return the hands in a picture, highest score first.
 *
 * @param network returns {boxes, logits} for the planes of a square.
 * @param {import("./picture.js").Picture} picture a reduced one.
 * @param {number} border black border on each side, as a share of the longer side.
 * @param {import("./picture.js").Picture} full the picture in whose pixels hands are returned.
 * @returns {Promise<DetectedHand[]>}
 */
export async function detectHands(network, picture, border, full) {
  const { square, scale, offset } = letterboxed(picture, border);
  const { boxes, logits } = await network(networkInput(square));
  return mergeOverlapping(decodeBoxes(boxes, logits)).map((box) => {
    const x = scale.x * (picture.width / full.width);
    const y = scale.y * (picture.height / full.height);
    return inPicture(box, { x, y }, offset);
  });
}

/** Shrink a picture into the middle of the detector's black square. */
export function letterboxed(picture, border) {
  const side = DETECTOR_INPUT_PX;
  const shrink = side / (Math.max(picture.width, picture.height) * (1 + 2 * border));
  const width = Math.max(roundHalfEven(picture.width * shrink), 1);
  const height = Math.max(roundHalfEven(picture.height * shrink), 1);
  const small = shrunkTo(picture, width, height);
  const left = Math.floor((side - width) / 2);
  const top = Math.floor((side - height) / 2);
  const data = new Uint8Array(side * side * 3);
  for (let y = 0; y < height; y++) {
    const row = small.data.subarray(y * width * 3, (y + 1) * width * 3);
    data.set(row, ((top + y) * side + left) * 3);
  }
  return {
    square: { data, width: side, height: side },
    scale: { x: width / picture.width, y: height / picture.height },
    offset: { x: left, y: top },
  };
}

function anchors() {
  const places = [];
  for (const [cells, perCell] of DETECTOR_GRIDS) {
    const middle = (cell) => ((cell + 0.5) / cells) * DETECTOR_INPUT_PX;
    for (let cell = 0; cell < cells * cells; cell++) {
      const place = { x: middle(cell % cells), y: middle(Math.floor(cell / cells)) };
      for (let i = 0; i < perCell; i++) places.push(place);
    }
  }
  return places;
}

const ANCHORS = anchors();

/** Return the boxes above the score limit, in pixels of the square. */
export function decodeBoxes(boxes, logits) {
  const kept = [];
  for (let i = 0; i < logits.length; i++) {
    const logit = Math.min(Math.max(logits[i], -LOGIT_LIMIT), LOGIT_LIMIT);
    const score = 1 / (1 + Math.exp(-logit));
    if (score < DETECTOR_MIN_SCORE) continue;
    const row = Float64Array.from(boxes.subarray(i * ROW, (i + 1) * ROW));
    for (let at = 0; at < ROW; at += 2) {
      if (at === 2) continue;
      row[at] += ANCHORS[i].x;
      row[at + 1] += ANCHORS[i].y;
    }
    kept.push({ row, score });
  }
  return kept;
}

/** Average boxes that overlap, weighted by score; the group keeps its best score. */
export function mergeOverlapping(boxes) {
  let rest = [...boxes].sort((one, other) => other.score - one.score);
  const merged = [];
  while (rest.length) {
    const best = rest[0];
    const near = (box) => box === best || overlap(best.row, box.row) > DETECTOR_MAX_OVERLAP;
    merged.push({ row: average(rest.filter(near)), score: best.score });
    rest = rest.filter((box) => !near(box));
  }
  return merged;
}

function average(group) {
  const total = group.reduce((sum, { score }) => sum + score, 0);
  return Float64Array.from({ length: ROW }, (_, at) =>
    group.reduce((sum, { row, score }) => sum + row[at] * score, 0) / total);
}

/** Return intersection over union of two boxes. */
function overlap(one, other) {
  let common = 1;
  for (const axis of [0, 1]) {
    const low = Math.max(one[axis] - one[axis + 2] / 2, other[axis] - other[axis + 2] / 2);
    const high = Math.min(one[axis] + one[axis + 2] / 2, other[axis] + other[axis + 2] / 2);
    common *= Math.max(high - low, 0);
  }
  const union = Math.abs(one[2] * one[3]) + Math.abs(other[2] * other[3]) - common;
  return common / Math.max(union, Number.MIN_VALUE);
}

/** Undo the letterbox. */
function inPicture({ row, score }, scale, offset) {
  const place = (at) => ({
    x: (row[at] - offset.x) / scale.x,
    y: (row[at + 1] - offset.y) / scale.y,
  });
  return {
    centre: place(0),
    width: Math.abs(row[2] / scale.x),
    height: Math.abs(row[3] / scale.y),
    wrist: place(WRIST),
    knuckle: place(KNUCKLE),
    score,
  };
}
