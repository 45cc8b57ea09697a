/**
 * The screen's light on the hand: soft hues that change twice a second at most, over all steps of
 * a challenge. WCAG 2.2 2.3.1.
 */

/** Without colour at first: the camera gets used to the light. Milliseconds. */
const NEUTRAL_MS = 700;

/** How long a colour is shown, and none after the last, milliseconds. */
const SLOT_MS = 500;

/** A colour with a larger share of red is not shown; a red flash begins at 0.8. */
const MOST_RED = 0.5;

/** Grey levels that each part of a colour has at least. */
const PALE = 128;

/** Whether colours may be shown: pale, and none of them a saturated red. */
export const areSoft = (colours) => colours.every(([red, green, blue]) =>
  red / (red + green + blue) < MOST_RED && Math.min(red, green, blue) >= PALE);

export class Light {
  /** Index of the step's colour that is shown; null: none. */
  index = null;
  #next = null;
  #last = null;
  #freeAt = -Infinity;

  /** @param {(colour: number[]|null) => void} show */
  constructor(show) {
    this.show = show;
  }

  /**
   * Begin to show a step's colours, from the first again after the last.
   *
   * @param {number[][]} colours RGB; if one of them is not soft, none is shown.
   */
  begin(colours) {
    if (!colours.length || !areSoft(colours)) return;
    const go = () => {
      this.index = ((this.index ?? -1) + 1) % colours.length;
      this.#change(colours[this.index]);
    };
    this.#next = setTimeout(() => {
      go();
      this.#next = setInterval(go, SLOT_MS);
    }, Math.max(NEUTRAL_MS, this.#freeAt - performance.now()));
  }

  /** Show none any more; a colour that has just begun stays its time. */
  end() {
    clearInterval(this.#next);
    if (this.index === null) return;
    this.index = null;
    const stays = this.#freeAt - performance.now();
    this.#freeAt += SLOT_MS;
    this.#last = setTimeout(() => this.#change(null), stays);
  }

  #change(colour) {
    clearTimeout(this.#last);
    this.#freeAt = performance.now() + SLOT_MS;
    this.show(colour);
  }
}
