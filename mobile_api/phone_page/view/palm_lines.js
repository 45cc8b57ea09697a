/** The lines of a palm in a frame: where skin is darker than on both sides of it. */

import { h } from "./dom.js";

/** Of the square that is looked at, in its pixels: side, the palm's reach, distance to both sides. */
const [SIDE, REACH, APART] = [80, 34, 3];

/** Steps along a line, in four directions. */
const ALONG = [1, SIDE, SIDE + 1, SIDE - 1];

/** Share of the pixels that are of no line. */
const PLAIN = 0.9;

const [WRIST, INDEX, LITTLE] = [0, 5, 17];
const COLOUR = [127, 230, 209];

/** Return a canvas as large as the frame, transparent but for the lines. */
export function palmLines(frame, { points }) {
  const lines = h("canvas", { class: "lines", width: frame.width, height: frame.height });
  const square = h("canvas", { width: SIDE, height: SIDE });
  const [wrist, index, little] = [WRIST, INDEX, LITTLE].map((at) => points[at]);
  const knuckle = { x: (index.x + little.x) / 2, y: (index.y + little.y) / 2 };
  const [right, down] = [wrist.x - knuckle.x, wrist.y - knuckle.y];
  const toFrame = new DOMMatrix()
    .translate((wrist.x + knuckle.x) / 2, (wrist.y + knuckle.y) / 2)
    .rotate(Math.atan2(-right, down) * 180 / Math.PI)
    .scale(1.05 * Math.hypot(right, down) / SIDE)
    .translate(-SIDE / 2, -SIDE / 2);
  const seen = square.getContext("2d", { willReadFrequently: true });
  seen.setTransform(toFrame.inverse());
  seen.drawImage(frame, 0, 0);
  const picture = seen.getImageData(0, 0, SIDE, SIDE);
  draw(picture.data, darkness(picture.data));
  seen.putImageData(picture, 0, 0);
  const to = lines.getContext("2d");
  to.setTransform(toFrame);
  to.drawImage(square, 0, 0);
  return lines;
}

/** Return by how much each pixel of the palm is darker than both of its sides. */
function darkness(rgba) {
  const mean = new Float32Array(SIDE * SIDE);
  const dark = new Float32Array(SIDE * SIDE);
  for (let at = SIDE, g = 4 * SIDE + 1; at < mean.length - SIDE; at++, g += 4) {
    mean[at] = 2 * rgba[g] + rgba[g - 4] + rgba[g + 4] + rgba[g - 4 * SIDE] + rgba[g + 4 * SIDE];
  }
  const along = (at, step) => mean[at - 2 * step] + mean[at] + mean[at + 2 * step];
  for (let at = 0; at < dark.length; at++) {
    if (!isPalm(at)) continue;
    for (let turn = 0; turn < 4; turn++) {
      const step = ALONG[turn];
      const across = APART * ALONG[turn ^ 1];
      const sides = Math.min(along(at - across, step), along(at + across, step));
      dark[at] = Math.max(dark[at], sides - along(at, step));
    }
  }
  return dark;
}

function isPalm(at) {
  const x = at % SIDE - SIDE / 2;
  const y = at / SIDE - SIDE / 2;
  return x * x + y * y < REACH * REACH;
}

function draw(rgba, dark) {
  const inside = dark.filter((_, at) => isPalm(at)).sort();
  const least = Math.max(inside[Math.floor(PLAIN * inside.length)], 1);
  for (let at = 0; at < dark.length; at++) {
    rgba.set(COLOUR, 4 * at);
    rgba[4 * at + 3] = 400 * (dark[at] / least - 1);
  }
}
