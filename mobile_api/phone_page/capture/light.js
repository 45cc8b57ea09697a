/**
 * The screen's light on the hand: soft hues that change twice a second. WCAG 2.2 2.3.1.
 */

/** Without colour at first: the camera gets used to the light. Milliseconds. */
const NEUTRAL_MS = 700;

/** How long a colour is shown, milliseconds. */
const SLOT_MS = 500;

/** A colour with a larger share of red is not shown; a red flash begins at 0.8. */
const MOST_RED = 0.5;

/** Grey levels that each part of a colour has at least. */
const PALE = 128;

/** Whether colours may be shown: pale, and none of them a saturated red. */
export const areSoft = (colours) => colours.every(([red, green, blue]) =>
  red / (red + green + blue) < MOST_RED && Math.min(red, green, blue) >= PALE);

export class Light {
  /** Index of the colour that is shown; null: none. */
  index = null;
  #timer;

  /**
   * Begin to show colours, from the first again after the last.
   *
   * @param {number[][]} colours RGB; if one of them is not soft, none is shown.
   * @param {(colour: number[]|null) => void} show
   */
  constructor(colours, show) {
    this.show = show;
    if (!colours.length || !areSoft(colours)) return;
    const go = () => {
      this.index = ((this.index ?? -1) + 1) % colours.length;
      show(colours[this.index]);
    };
    this.#timer = setTimeout(() => {
      go();
      this.#timer = setInterval(go, SLOT_MS);
    }, NEUTRAL_MS);
  }

  /** Show none any more. */
  end() {
    clearInterval(this.#timer);
    this.show(null);
  }
}
