/**
 * Vibration patterns of the instructions: milliseconds of vibration and pause in turn. Similar
 * instructions share a pattern; all are short, so that the phone does not shake.
 */

const [SHORT, LONG, REST] = [35, 110, 60];

const SHOW = [LONG];
const TURN = [LONG, REST, LONG];
const MOVE = [SHORT, REST, SHORT];
const LIGHT = [SHORT, REST, LONG];
const STILL = [SHORT];
const GOOD = [SHORT, REST, SHORT, REST, SHORT];

/** By instruction; `good` for an accepted frame. */
export const PATTERNS = {
  show_palm: SHOW,
  other_side: TURN,
  other_hand: TURN,
  closer: MOVE,
  further: MOVE,
  to_middle: MOVE,
  fingers_apart: MOVE,
  more_light: LIGHT,
  uncover: MOVE,
  less_glare: LIGHT,
  hold_still: STILL,
  move_hand: MOVE,
  move_left: MOVE,
  move_right: MOVE,
  move_up: MOVE,
  move_down: MOVE,
  fold_thumb: TURN,
  spread_fingers: TURN,
  close_fingers: TURN,
  loose_fist: TURN,
  tilt_left: TURN,
  tilt_right: TURN,
  tilt_up: TURN,
  tilt_down: TURN,
  burst: GOOD,
  good: GOOD,
};

/** Vibrate for an instruction. */
export const vibrate = (instruction) => vibrateFor(PATTERNS[instruction]);

/** Vibrate for a pattern, if the device can; browsers refuse it until the person touched the page. */
export function vibrateFor(pattern) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
}
