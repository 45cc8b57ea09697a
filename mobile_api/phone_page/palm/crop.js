/**
 * The square crop in which the landmark network sees a hand upright. Port of engine/hand/reading.py.
 * Points count from the picture's corner.
 *
 * @typedef {{x: number, y: number, side: number, angle: number}} HandCrop centre and side in
 *   pixels of the picture; the turn from its up to the picture's, radians, clockwise.
 */

import {
  DETECTION_CROP_LIFT,
  DETECTION_CROP_SIDE,
  HAND_CROP_AGREEMENT,
  HAND_CROP_GRID,
  LANDMARK_CROP_LIFT,
  LANDMARK_CROP_POINTS,
  LANDMARK_CROP_SIDE,
  LANDMARK_INPUT_PX,
} from "../generated/parameters.js";
import { shrunk, warped } from "./picture.js";

const [WRIST, INDEX, MIDDLE, RING_FINGER] = [0, 5, 9, 13];

/** Return the crop of a detected hand. */
export function cropOfDetection({ centre, width, height, wrist, knuckle }) {
  const side = Math.max(width, height);
  return lifted(centre, DETECTION_CROP_LIFT * side, DETECTION_CROP_SIDE * side, wrist, knuckle);
}

/** Return the crop of a hand with approximate landmarks. */
export function cropOfLandmarks(points) {
  const knuckle = between(between(points[INDEX], points[RING_FINGER]), points[MIDDLE]);
  const angle = angleOf(points[WRIST], knuckle);
  const upright = LANDMARK_CROP_POINTS.map((at) => turned(points[at], -angle));
  const xs = upright.map(({ x }) => x);
  const ys = upright.map(({ y }) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const centre = turned({ x: (left + right) / 2, y: (top + bottom) / 2 }, angle);
  const side = LANDMARK_CROP_SIDE * Math.max(right - left, bottom - top);
  return lifted(centre, LANDMARK_CROP_LIFT * (bottom - top), side, points[WRIST], knuckle);
}

/** Whether a crop is finite and at least a pixel. */
export const isUsable = ({ x, y, side, angle }) =>
  [x, y, side, angle].every(Number.isFinite) && side >= 1;

/** Whether the network would read nearly the same in the better crop. */
export function agrees(crop, better) {
  const [shift, growth, turn] = HAND_CROP_AGREEMENT;
  const away = Math.hypot(crop.x - better.x, crop.y - better.y);
  const grown = Math.abs(crop.side - better.side);
  const cosine = Math.cos(crop.angle - better.angle);
  return away <= shift * better.side && grown <= growth * better.side && cosine >= Math.cos(turn);
}

/** Cut out a crop; halve first where it shrinks by two or more. */
export function cutCrop(picture, crop) {
  const small = shrunk(picture, crop.side / LANDMARK_INPUT_PX);
  const scale = { x: small.width / picture.width, y: small.height / picture.height };
  return warped(small, pixelMap(crop, scale), LANDMARK_INPUT_PX);
}

/** Map a point from the crop to the picture. */
export function toPicture({ x, y }, crop) {
  const offset = (at) => (at / LANDMARK_INPUT_PX - 0.5) * crop.side;
  const moved = turned({ x: offset(x), y: offset(y) }, crop.angle);
  return { x: moved.x + crop.x, y: moved.y + crop.y };
}

/** The affine map from the crop's pixel centres to a shrunk picture's. */
function pixelMap(crop, scale) {
  const step = crop.side / LANDMARK_INPUT_PX;
  const [cos, sin] = [Math.cos(crop.angle) * step, Math.sin(crop.angle) * step];
  const corner = toPicture({ x: 0.5, y: 0.5 }, crop);
  return [
    scale.x * cos, scale.x * -sin, scale.x * corner.x - 0.5,
    scale.y * sin, scale.y * cos, scale.y * corner.y - 0.5,
  ];
}

/**
 * Return the crop rotated so that the knuckle is above the wrist, and shifted towards it. Snapped
 * to a grid, so that the service cuts the same pixels despite rounding differences.
 */
function lifted(centre, lift, side, wrist, knuckle) {
  const [perPx, perRad] = HAND_CROP_GRID;
  const angle = onGrid(angleOf(wrist, knuckle), perRad);
  const x = onGrid(centre.x + lift * Math.sin(angle), perPx);
  const y = onGrid(centre.y - lift * Math.cos(angle), perPx);
  return { x, y, side: onGrid(side, perPx), angle };
}

const onGrid = (value, parts) => Math.floor(value * parts + 0.5) / parts;

const angleOf = (wrist, knuckle) => Math.atan2(knuckle.x - wrist.x, -(knuckle.y - wrist.y));

const between = (one, other) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });

function turned({ x, y }, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { x: cos * x - sin * y, y: sin * x + cos * y };
}
