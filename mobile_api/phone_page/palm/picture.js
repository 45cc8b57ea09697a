/**
 * A picture as the networks take it: RGB, eight bits, rows from the top. Scaling and rotation
 * follow OpenCV's INTER_AREA and INTER_LINEAR in our own code: canvases of different browsers
 * differ by up to 47 grey levels.
 *
 * @typedef {{data: Uint8Array, width: number, height: number}} Picture
 */

/** Return a picture from a canvas's RGBA data. */
export function fromRgba(rgba, width, height) {
  const data = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; to < data.length; from += 4, to += 3) {
    data[to] = rgba[from];
    data[to + 1] = rgba[from + 1];
    data[to + 2] = rgba[from + 2];
  }
  return { data, width, height };
}

/** Round to the nearest integer, halves to even, like OpenCV and Python. */
export function roundHalfEven(value) {
  const low = Math.floor(value);
  const rest = value - low;
  if (rest !== 0.5) return rest < 0.5 ? low : low + 1;
  return low % 2 === 0 ? low : low + 1;
}

const single = Math.fround;

/** OpenCV's rounding where both sides are exactly halved: (a + b + c + d + 2) >> 2. */
const roundHalfUp = (value) => Math.floor(value + 0.5);

/**
 * Shrink a picture by averaging the area of each new pixel (INTER_AREA).
 *
 * @param {Picture} picture
 * @param {number} width not larger than the picture's.
 * @param {number} height not larger than the picture's.
 * @returns {Picture}
 */
export function shrunkTo(picture, width, height) {
  if (width === picture.width && height === picture.height) return picture;
  const isHalved = picture.width === 2 * width && picture.height === 2 * height;
  const round = isHalved ? roundHalfUp : roundHalfEven;
  const columns = shares(picture.width, width);
  const rows = shares(picture.height, height);
  const sums = new Float32Array(width * 3);
  const data = new Uint8Array(width * height * 3);
  const line = new Float32Array(width * 3);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let k = rows.start[y]; k < rows.start[y + 1]; k++) {
      averageRow(picture, rows.index[k], columns, line);
      const weight = rows.weight[k];
      for (let x = 0; x < sums.length; x++) sums[x] += single(weight * line[x]);
    }
    for (let x = 0, to = y * sums.length; x < sums.length; x++, to++) {
      data[to] = round(sums[x]);
    }
  }
  return { data, width, height };
}

/** Halve a picture until another time would shrink it more than asked; it keeps its half. */
export function shrunk(picture, shrink) {
  if (!(shrink >= 2)) return picture;
  const half = (side) => Math.max(side >> 1, 1);
  picture.half ??= shrunkTo(picture, half(picture.width), half(picture.height));
  return shrunk(picture.half, shrink / 2);
}

function averageRow(picture, y, columns, line) {
  const offset = y * picture.width * 3;
  const { start, index, weight } = columns;
  for (let x = 0; x + 1 < start.length; x++) {
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let k = start[x]; k < start[x + 1]; k++) {
      const from = offset + index[k] * 3;
      red = single(red + single(weight[k] * picture.data[from]));
      green = single(green + single(weight[k] * picture.data[from + 1]));
      blue = single(blue + single(weight[k] * picture.data[from + 2]));
    }
    line[x * 3] = red;
    line[x * 3 + 1] = green;
    line[x * 3 + 2] = blue;
  }
}

/** Smaller overlaps of pixels are ignored. OpenCV's number. */
const NEGLIGIBLE = 1e-3;

/** Return the weights of the old pixels in each new one, along one side. */
function shares(before, after) {
  const scale = before / after;
  const start = new Int32Array(after + 1);
  const index = [];
  const weight = [];
  const add = (at, share) => index.push(at) && weight.push(share);
  for (let i = 0; i < after; i++) {
    const low = i * scale;
    const high = low + scale;
    const cell = Math.min(scale, before - low);
    const last = Math.min(Math.floor(high), before - 1);
    const first = Math.min(Math.ceil(low), last);
    if (first - low > NEGLIGIBLE) add(first - 1, (first - low) / cell);
    for (let at = first; at < last; at++) add(at, 1 / cell);
    if (high - last > NEGLIGIBLE) add(last, Math.min(high - last, 1, cell) / cell);
    start[i + 1] = index.length;
  }
  return { start, index: Int32Array.from(index), weight: Float32Array.from(weight) };
}

/**
 * Sample a picture along an affine map, bilinear, black outside (INTER_LINEAR, BORDER_CONSTANT).
 *
 * Single precision at every step, in OpenCV's order: a grey level of difference in a thousand
 * pixels moves the landmarks by hundredths of a pixel.
 *
 * @param {Picture} picture
 * @param {number[]} map six numbers, row by row, from new pixel centres to old ones.
 * @param {number} side of the new picture, which is square.
 * @returns {Picture}
 */
export function warped(picture, map, side) {
  const data = new Uint8Array(side * side * 3);
  const [xx, xy, x0, yx, yy, y0] = map.map(single);
  for (let v = 0, to = 0; v < side; v++) {
    const x = single(single(xy * v) + x0);
    const y = single(single(yy * v) + y0);
    for (let u = 0; u < side; u++, to += 3) {
      sample(picture, single(xx * u + x), single(yx * u + y), data, to);
    }
  }
  return { data, width: side, height: side };
}

const blend = (one, other, share) => single(one + single(share * (other - one)));

function sample({ data, width, height }, x, y, result, to) {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < -1 || top < -1 || left >= width || top >= height) return;
  const [across, down] = [single(x - left), single(y - top)];
  const [hasWest, hasEast] = [left >= 0, left + 1 < width];
  const [hasNorth, hasSouth] = [top >= 0, top + 1 < height];
  for (let c = 0, at = (top * width + left) * 3; c < 3; c++, at++) {
    const below = at + width * 3;
    const upper = blend(
      hasNorth && hasWest ? data[at] : 0, hasNorth && hasEast ? data[at + 3] : 0, across);
    const lower = blend(
      hasSouth && hasWest ? data[below] : 0, hasSouth && hasEast ? data[below + 3] : 0, across);
    result[to + c] = roundHalfEven(blend(upper, lower, down));
  }
}

/** Return the input of a hand network: planes of red, green and blue, 0 to 1. */
export function networkInput(picture) {
  const count = picture.width * picture.height;
  const planes = new Float32Array(3 * count);
  const unit = Math.fround(1 / 255);
  for (let i = 0, from = 0; i < count; i++, from += 3) {
    planes[i] = picture.data[from] * unit;
    planes[count + i] = picture.data[from + 1] * unit;
    planes[2 * count + i] = picture.data[from + 2] * unit;
  }
  return planes;
}
