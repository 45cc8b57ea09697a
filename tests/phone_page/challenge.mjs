// Plays a hand before the page's own StepWatch.

import { StepWatch } from "../../mobile_api/phone_page/capture/challenge_step.js";

const [WIDTH, HEIGHT] = [640, 480];

/** How far the fingers of each motion are at its end. */
const ENDS = {
  fold_thumb: { thumb: 0.5 },
  spread_fingers: { fan: 22 },
  close_fingers: { fan: -16 },
  loose_fist: { reach: 0.9 },
};

/** Return a right hand at a place; done: of a motion, 0 to 1; height: of the hand, as a factor. */
function handAt({ x, y, size }, motion, done, height) {
  const { thumb = 1.75, fan = 0, reach = 2.5 } = ENDS[motion] ?? {};
  const share = (open, end) => open + (end - open) * done;
  const unit = size * HEIGHT;
  const knuckles = [[0.5, -0.4], [0.17, -0.5], [-0.17, -0.47], [-0.5, -0.4]];
  const points = Array.from({ length: 21 }, () => [0, 0.2]);
  points[0] = [0, 0.8];
  points[4] = [share(1.75, thumb) - 0.5, -0.4];
  const turned = (8 + share(0, fan) / 2) * Math.PI / 180;
  knuckles.forEach(([across, up], finger) => {
    const lean = [1, 0.3, -0.3, -1][finger] * turned;
    const length = share(2.5, reach) - 1.2;
    points[5 + 4 * finger] = [across, up];
    points[8 + 4 * finger] = [across + length * Math.sin(lean), up - length * Math.cos(lean)];
  });
  const at = ([across, down]) =>
    ({ x: x * WIDTH + across * unit, y: y * HEIGHT + down * unit * height });
  return { points: points.map(at), side: "right", width: unit, isBack: false };
}

/**
 * Let a hand answer a step.
 *
 * @param {object} step as the service sends it, without what is not looked at.
 * @param {{at: number, place?: object, done?: number, seen?: boolean, motion?: number,
 *   height?: number}[]} looks
 *   at: milliseconds; place: where the palm is, by default in its outline; done: how much of the
 *   motion; seen: whether the frames can be inspected, true unless it is false; motion: palm
 *   widths a second; height: of a tilted hand, as a factor.
 * @param {object} [given] of StepWatch.
 */
export function answered(step, looks, given = {}) {
  const watch = new StepWatch({ hold_ms: 500, tilt_deg: null, ...step }, given);
  const said = [];
  for (const look of looks) {
    if (watch.isDone) break;
    const { at, place = step.outline, done = 0, seen = true, motion = 0, height = 1 } = look;
    const hand = done === null ? null : handAt(place, step.motion, done, height);
    const quality = { score: 60, reason: null };
    const view = { hand, quality, brightness: 120, motion, width: WIDTH, height: HEIGHT };
    const { say, take = null, isAgain = false } = watch.next(seen ? view : null, at);
    said.push([say, take, isAgain]);
  }
  return { said, isDone: watch.isDone };
}

/** Return what is said of a view from before a step; place: of the palm, null: none is seen. */
export function wayFrom(outline, place) {
  const watch = new StepWatch({ motion: "fold_thumb", outline, hold_ms: 500, tilt_deg: null }, {});
  const hand = place && handAt(place, "fold_thumb", 0, 1);
  return watch.wayFrom({ hand, width: WIDTH, height: HEIGHT });
}
