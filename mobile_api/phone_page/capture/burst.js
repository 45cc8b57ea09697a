/**
 * A short burst for a hand that cannot hold still: a tremor stands still at its turning points,
 * many times a second. Frames are taken faster than they can be looked at, looked at afterwards,
 * and the sharpest by the palm graph's own measure are kept. No gate is loosened, and as no
 * stillness vouches for a frame here, its score has to be better than just open.
 *
 * @typedef {{frame: object, view: import("./guidance.js").View, at: number}} Looked a frame
 *   that was looked at, and when it was taken, milliseconds.
 */

/** A hand that moved for so many milliseconds without a good frame is not asked any longer. */
export const PATIENCE_MS = 3000;

/** Frames of a burst: at 60 ms half a second, a few periods of a tremor of 4 to 12 Hz. */
const FRAMES = 8;

const EVERY_MS = 60;

/**
 * Least score of a frame of a burst. Drawn palms of 640 × 480 that moved by 15 pixels score 33 at
 * most and lose a tenth of their comparison score; those that moved by 9 score 38 and more, and
 * lose a twentieth.
 */
const LEAST_SCORE = 36;

/** Frames that are kept are so many milliseconds apart: two of one instant teach nothing. */
export const APART_MS = 150;

/**
 * Take a burst and look at it.
 *
 * @param {() => object|null} take returns a frame of the camera.
 * @param {(frame: object) => Promise<object>} look says what a frame shows; takes its memory.
 * @param {(ms: number) => Promise<void>} pause
 * @returns {Promise<Looked[]>}
 */
export async function burst(take, look, pause) {
  const frames = [];
  for (let left = FRAMES; left > 0; left--) {
    const frame = take();
    if (frame) frames.push({ frame, at: performance.now() });
    await pause(EVERY_MS);
  }
  const looked = [];
  for (const { frame, at } of frames) {
    const { width, height } = frame;
    const seen = await look({ ...frame, data: frame.data.slice(0) });
    looked.push({ frame, at, view: { ...seen, width, height, motion: 0 } });
  }
  return looked;
}

/**
 * Return the sharpest of looked-at frames, a while apart from each other, the sharpest first.
 *
 * @param {Looked[]} looked in all of which nothing is wrong with the hand.
 * @param {number} count how many are wanted.
 */
export function sharpest(looked, count) {
  const sharp = looked.filter(({ view }) => view.quality.score >= LEAST_SCORE);
  const sorted = sharp.sort((one, other) =>
    other.view.quality.focus - one.view.quality.focus);
  const chosen = [];
  for (const each of sorted) {
    const isApart = chosen.every(({ at }) => Math.abs(at - each.at) >= APART_MS);
    if (isApart && chosen.length < count) chosen.push(each);
  }
  return chosen;
}
