/** Drawings for the instructions: lines in a square of 24, the colour of the text. */

import { svg } from "./dom.js";

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
  burst: ["M4 8h11v11H4z", "M7 8V5h12v12h-3", "m7 13 2 2 4-4"],
  good: ["m4 13 5 5L20 6"],
};

/** Return the drawing of an instruction. */
export function icon(instruction) {
  const lines = PATHS[instruction].map((d) => svg("path", { d }));
  return svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, ...lines);
}
