/** Where the palm has to be in a challenge, and where it is. */

import { placeOf } from "../capture/motions.js";
import { svg } from "./dom.js";

/** A left palm with its fingers, in a square of 100. */
export const OUTLINE = "M36 96 34 81C26 74 18 62 12 52c-3-6 3-11 8-6l11 12-1-34a5 5 0 0 1 10 0l2"
  + " 22 1-32a5 5 0 0 1 10 0l1 31 3-28a5 5 0 0 1 10 0l-1 30 4-19a4.5 4.5 0 0 1 9 1l-2 33c-1 12-5 20"
  + "-9 24v10";

/** Centre of the palm of the drawing, and its width between the outer knuckles. */
const [MIDDLE_X, MIDDLE_Y, WIDTH] = [53, 72, 35];

/** The drawing is made higher: its fingers are short. */
const HIGHER = 1.25;

export class Target {
  /** Whether the hand is a right one. */
  isTurned = false;

  /** @param {HTMLVideoElement} video whose coordinates are used. */
  constructor(video) {
    this.video = video;
    this.outline = svg("path", { d: OUTLINE, class: "asked" });
    this.palm = svg("circle", { class: "palm" });
    this.drawing = svg("svg", { class: "target", hidden: true, "aria-hidden": "true" },
      this.outline, this.palm);
  }

  /**
   * @param {import("../capture/challenge_step.js").Step|null} step null: nothing is asked.
   * @param {import("../capture/guidance.js").View|null} view what the camera sees.
   */
  update(step, view) {
    this.drawing.toggleAttribute("hidden", !step);
    if (view?.hand) this.isTurned = view.hand.side === "right";
    if (!step) return;
    const { videoWidth: width, videoHeight: height } = this.video;
    set(this.drawing, { viewBox: `0 0 ${width} ${height}` });
    const at = (place) => `translate(${place.x * width} ${place.y * height})`
      + ` scale(${place.size * Math.min(width, height)})`;
    const turn = this.isTurned ? -1 : 1;
    set(this.outline, { transform: `${at(step.outline)} scale(${turn / WIDTH} ${HIGHER / WIDTH})`
      + ` translate(${-MIDDLE_X} ${-MIDDLE_Y})` });
    const place = view?.hand && placeOf(view.hand, view);
    this.palm.toggleAttribute("hidden", !place);
    if (place) set(this.palm, { transform: at(place), r: 0.5 });
  }
}

function set(element, values) {
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
}
