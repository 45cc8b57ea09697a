/** Drawings for the instructions: lines in a square of 24, the colour of the text. */

import { svg } from "./dom.js";

/** An open left palm: its edge, the fingers from the first on, the thumb. */
const OPEN = ["M8 14Q7.5 21.5 12.5 21.5T17.3 14", "M8.5 13 7.5 5", "M11.3 12.5 11.3 3",
  "M14.2 12.7 15 4", "M17 14 18.8 7", "M8 18 3.5 12"];

/** What is not where it is in an open palm. */
const MOVED = {
  fold_thumb: { 5: "M8 18 13.5 16" },
  spread_fingers: { 1: "M8.5 13 4 6", 2: "M11.3 12.5 10 3", 3: "M14.2 12.7 16.8 4",
    4: "M17 14 22 9", 5: "M8 18 1.5 15" },
  close_fingers: { 1: "M8.5 13 9.5 5", 3: "M14.2 12.7 13.4 4", 4: "M17 14 15.5 6.5",
    5: "M8 18 6.5 10" },
  loose_fist: { 1: "M8.5 13 9 17", 2: "M11.3 12.5 11.4 17", 3: "M14.2 12.7 13.8 17",
    4: "M17 14 16.2 17", 5: "M8 18 14 19.3" },
};

const movedBy = (motion) => OPEN.map((line, at) => MOVED[motion][at] ?? line);

const HAND = "M8 13V5.5a1.5 1.5 0 0 1 3 0V11m0-6.5a1.5 1.5 0 0 1 3 0V11m0-5a1.5 1.5 0 0 1 3 0v8"
  + "c0 4-2 7-6 7s-5-2-6.5-5L3 13.5c-.8-1.6 1.2-2.8 2.3-1.4L8 15";

/** Lines of each instruction; `good` for an accepted frame. */
export const PATHS = {
  show_palm: [HAND],
  other_side: ["M4 9a8 8 0 0 1 14-3l2 2m0-5v5h-5", "M20 15a8 8 0 0 1-14 3l-2-2m0 5v-5h5"],
  other_hand: ["M4 8h15m-4-4 4 4-4 4", "M20 16H5m4-4-4 4 4 4"],
  closer: ["M9 9 4 4m0 4V4h4", "m15 15 5 5m0-4v4h-4", "M15 9l5-5m-4 0h4v4", "m9 15-5 5m4 0H4v-4"],
  further: ["M4 4l5 5m0-4v4H5", "m20 20-5-5m0 4v-4h4", "m20 4-5 5m0-4v4h4", "m4 20 5-5m-4 0h4v4"],
  to_middle: ["M12 3v4m0 10v4M3 12h4m10 0h4", "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6"],
  fingers_apart: ["M12 20V9", "M8 20 5 8", "M16 20l3-12", "M12 20 12 4"],
  more_light: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8", "M12 2v3m0 14v3M2 12h3m14 0h3M5 5l2 2"
    + "m10 10 2 2M19 5l-2 2M7 17l-2 2"],
  less_glare: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8", "M3 3l18 18"],
  hold_still: ["M8 5v14", "M16 5v14"],
  move_hand: [HAND, "M2 12h2m16 0h2"],
  move_left: ["M20 12H4m6-6-6 6 6 6"],
  move_right: ["M4 12h16m-6-6 6 6-6 6"],
  move_up: ["M12 20V4m-6 6 6-6 6 6"],
  move_down: ["M12 4v16m-6-6 6 6 6-6"],
  fold_thumb: movedBy("fold_thumb"),
  spread_fingers: movedBy("spread_fingers"),
  close_fingers: movedBy("close_fingers"),
  loose_fist: movedBy("loose_fist"),
  tilt_left: ["M20 15a9 9 0 0 0-15-3m0-5v5h5"],
  tilt_right: ["M4 15a9 9 0 0 1 15-3m0-5v5h-5"],
  tilt_up: ["M15 20a9 9 0 0 1-3-15m-5 0h5v5"],
  tilt_down: ["M15 4a9 9 0 0 0-3 15m-5 0h5v-5"],
  burst: ["M4 8h11v11H4z", "M7 8V5h12v12h-3", "m7 13 2 2 4-4"],
  good: ["m4 13 5 5L20 6"],
};

/** Return the drawing of an instruction; of a motion, it moves unless the person minds that. */
export function icon(instruction) {
  const isMotion = instruction in MOVED;
  const lines = PATHS[instruction].map((d) => svg("path", { d }));
  if (isMotion && matchMedia("(prefers-reduced-motion: reduce)").matches) {
    lines.push(...OPEN.map((d) => svg("path", { d, class: "before" })));
  } else if (isMotion) {
    lines.forEach((line, at) => line.append(moving(OPEN[at], PATHS[instruction][at])));
  }
  const look = isMotion ? "icon motion" : "icon";
  return svg("svg", { viewBox: "0 0 24 24", class: look, "aria-hidden": "true" }, ...lines);
}

const moving = (open, moved) => svg("animate", { attributeName: "d", dur: "2.4s",
  repeatCount: "indefinite", keyTimes: "0;.2;.45;.75;1",
  values: [open, open, moved, moved, open].join(";") });
