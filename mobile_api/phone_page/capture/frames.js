/** The body of a step's answer: frames with their times, as application/vnd.thenar.frames. */

export const PHASES = { open: 0, moved: 1, back: 2, tilted: 3 };

/** Milliseconds, phase, an octet of no meaning, length. */
const HEAD = 10;

/**
 * Return the frames as bytes.
 *
 * @param {{at: number, phase: keyof typeof PHASES, jpeg: Uint8Array}[]} frames
 *   at: milliseconds since the step was received.
 */
export function packed(frames) {
  const length = frames.reduce((sum, { jpeg }) => sum + HEAD + jpeg.length, 0);
  const bytes = new Uint8Array(length);
  const heads = new DataView(bytes.buffer);
  let from = 0;
  for (const { at, phase, jpeg } of frames) {
    heads.setUint32(from, Math.round(at));
    heads.setUint8(from + 4, PHASES[phase]);
    heads.setUint32(from + 6, jpeg.length);
    bytes.set(jpeg, from + HEAD);
    from += HEAD + jpeg.length;
  }
  return bytes;
}
