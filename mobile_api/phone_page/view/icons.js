/** Drawings for the instructions: lines in a square of 24, the colour of the text. */

import { h, svg } from "./dom.js";

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

/** Where each motion leads; drawn where nothing moves, and of tilts always. */
const ARROWS = {
  fold_thumb: "M2 16.5Q4.5 21 9 21.5m-2-1.8 2 1.8-2.2 1.5",
  spread_fingers: "M8 .5H3m1.8-1.5L3 .5 4.8 2M17 .5h5m-1.8-1.5L22 .5 20.2 2",
  close_fingers: "M.5 5h4.5M3.2 3.5 5 5 3.2 6.5M25 5h-4.5m1.8-1.5L20.5 5l1.8 1.5",
  loose_fist: "M23 4v10m-2-2 2 2 2-2",
  tilt_left: "M19-1Q12-5.5 5-1m.6-3.2L5-1l3.2.4",
  tilt_right: "M5-1q7-4.5 14 0m-.6-3.2L19-1l-3.2.4",
  tilt_up: "M22.5 19q4-7 0-14m3.2.8L22.5 5l-.6 3.2",
  tilt_down: "M22.5 5q4 7 0 14m3.2-.8-3.2.8-.6-3.2",
};

const movedBy = (motion) =>
  [...OPEN.map((line, at) => MOVED[motion]?.[at] ?? line), ARROWS[motion]];

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
  uncover: [HAND, "M3 3l18 18"],
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
  tilt_left: movedBy("tilt_left"),
  tilt_right: movedBy("tilt_right"),
  tilt_up: movedBy("tilt_up"),
  tilt_down: movedBy("tilt_down"),
  burst: ["M4 8h11v11H4z", "M7 8V5h12v12h-3", "m7 13 2 2 4-4"],
  good: ["m4 13 5 5L20 6"],
};

/** Lines of what only stories show. */
const SCENES = {
  scan: ["M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zM14 14v3m3-3h3v3m-6 3h6"],
  phone: ["M7 2h10v20H7zM11 19h2"],
};

/** What will happen, one drawing after the other. */
export const story = (...names) => h("div", { class: "story", "aria-hidden": "true" },
  ...names.map((name) => h("span", {}, icon(name))));

/** Return the drawing of an instruction; of a motion a hand that moves, unless one minds that. */
export function icon(instruction) {
  const lines = (PATHS[instruction] ?? SCENES[instruction]).map((d) => svg("path", { d }));
  const isMotion = instruction in ARROWS;
  if (isMotion) lines.splice(0, OPEN.length, hand(instruction, lines.slice(0, OPEN.length)));
  const look = isMotion ? `icon motion ${instruction}` : "icon";
  const viewBox = isMotion ? "-3 -6 30 30" : "0 0 24 24";
  return svg("svg", { viewBox, class: look, "aria-hidden": "true" }, ...lines);
}

function hand(motion, lines) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const changed = lines.map((line, at) => [line, OPEN[at], PATHS[motion][at]])
    .filter(([, open, moved]) => open !== moved);
  const before = isStill ? changed.map(([, d]) => svg("path", { d, class: "before" })) : [];
  if (!isStill) changed.forEach(([line, open, moved]) => line.append(moving(open, moved)));
  return svg("g", {}, ...before, ...lines);
}

const moving = (open, moved) => svg("animate", { attributeName: "d", dur: "2.4s",
  repeatCount: "indefinite", keyTimes: "0;.2;.45;.75;1",
  values: [open, open, moved, moved, open].join(";") });
