/**
 * A short burst for a hand that cannot hold still: a tremor pauses at its turning points, many
 * times a second. Frames are captured faster than they can be inspected; afterwards the sharpest
 * by the palm graph's focus measure are kept. All quality gates apply, and since the hand may have
 * moved, a higher score is required.
 *
 * @typedef {{frame: object, view: import("./guidance.js").View, at: number}} Looked an inspected
 *   frame and its capture time, milliseconds.
 */

/** After this many milliseconds of movement without a good frame, a burst is taken. */
export const MOVING_LIMIT_MS = 3000;

/** Frames of a burst: half a second at 60 ms, a few periods of a tremor of 4 to 12 Hz. */
const FRAMES = 8;

const FRAME_INTERVAL_MS = 60;

/**
 * Minimum score of a burst frame, and of a single frame of an attempt. Drawn palms of 640 × 480 moved by 15 pixels score at most 33 and
 * lose a tenth of their comparison score; moved by 9 they score at least 38 and lose a twentieth.
 */
export const MIN_SCORE = 36;

/** Minimum time between accepted frames, milliseconds: frames of one instant add nothing. */
export const SPACING_MS = 150;

/**
 * Take a burst and inspect its frames.
 *
 * @param {() => object|null} take returns a frame of the camera.
 * @param {(frame: object) => Promise<object>} inspect says what a frame shows; takes its memory.
 * @param {(ms: number) => Promise<void>} pause
 * @returns {Promise<Looked[]>}
 */
export async function burst(take, inspect, pause) {
  const frames = [];
  for (let left = FRAMES; left > 0; left--) {
    const frame = take();
    if (frame) frames.push({ frame, at: performance.now() });
    await pause(FRAME_INTERVAL_MS);
  }
  const looked = [];
  for (const { frame, at } of frames) {
    const { width, height } = frame;
    const seen = await inspect({ ...frame, data: frame.data.slice(0) });
    looked.push({ frame, at, view: { ...seen, width, height, motion: 0 } });
  }
  return looked;
}

/**
 * Return the sharpest frames, at least SPACING_MS apart, the sharpest first.
 *
 * @param {Looked[]} looked frames without an instruction.
 * @param {number} count maximum number.
 */
export function sharpest(looked, count) {
  const sharp = looked.filter(({ view }) => view.quality.score >= MIN_SCORE);
  const sorted = sharp.sort((one, other) =>
    other.view.quality.focus - one.view.quality.focus);
  const chosen = [];
  for (const each of sorted) {
    const isApart = chosen.every(({ at }) => Math.abs(at - each.at) >= SPACING_MS);
    if (isApart && chosen.length < count) chosen.push(each);
  }
  return chosen;
}
