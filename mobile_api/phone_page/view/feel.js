/**
 * What is felt of an instruction: milliseconds of vibration and of rest, in turn. Alike what is
 * alike to do, all of it short: the hand that holds the phone must not shake it.
 */

const [SHORT, LONG, REST] = [35, 110, 60];

const SHOW = [LONG];
const TURN = [LONG, REST, LONG];
const MOVE = [SHORT, REST, SHORT];
const LIGHT = [SHORT, REST, LONG];
const STILL = [SHORT];
const GOOD = [SHORT, REST, SHORT, REST, SHORT];

/** By instruction; `good` for a frame that is kept. */
export const PATTERNS = {
  show_palm: SHOW,
  other_side: TURN,
  other_hand: TURN,
  closer: MOVE,
  further: MOVE,
  to_middle: MOVE,
  fingers_apart: MOVE,
  more_light: LIGHT,
  less_glare: LIGHT,
  hold_still: STILL,
  burst: GOOD,
  good: GOOD,
};

/** Let an instruction be felt, where a device can. */
export const feel = (instruction) => navigator.vibrate?.(PATTERNS[instruction]);
