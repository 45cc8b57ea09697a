/**
 * What the palm graph says about a region, in the words of the service's refusals.
 *
 * @typedef {{score: number, reason: string|null, wish: string|null, exposure: number,
 *   focus: number}} Quality score 0 to 100; wish: what a camera can mostly mend where no gate is
 *   closed; focus the share of fine detail, 0.5 if very sharp.
 */

/** Gates in the order of the graph's output `merits`; the last one is of clipped pixels. */
const REASONS = [
  "out_of_frame",
  "too_small",
  "bad_pose",
  "too_dark",
  "too_bright",
  "too_blurred",
  "clipped",
];

/**
 * Merits that a frame is asked for where a gate is open from 0 on: of a hand before a camera there
 * are sharper and brighter frames to come, and a poor one would cost an attempt.
 */
const ASKED = { too_dark: 0.42, too_blurred: 0.22, clipped: 0.5 };

/** Where the measures lie in the graph's output `quality`. */
const [FOCUS, EXPOSURE] = [0, 1];

const MIDDLE_GREY = 127.5;

/** Return the quality behind the graph's outputs. A merit that is no number is a closed gate. */
export function qualityOf(merits, measures) {
  const measured = { focus: measures[FOCUS], exposure: measures[EXPOSURE] };
  const closed = merits.findIndex((merit) => !(merit >= 0));
  if (closed >= 0) {
    return { ...measured, score: 0, reason: reasonOf(closed, measured.exposure), wish: null };
  }
  const lacking = merits.findIndex((merit, gate) => merit < (ASKED[REASONS[gate]] ?? 0));
  const wish = lacking < 0 ? null : reasonOf(lacking, measured.exposure);
  const score = Math.max(1, Math.round(100 * Math.min(...merits)));
  return { ...measured, score, reason: null, wish };
}

function reasonOf(gate, exposure) {
  if (REASONS[gate] !== "clipped") return REASONS[gate];
  return exposure < MIDDLE_GREY ? "too_dark" : "too_bright";
}
