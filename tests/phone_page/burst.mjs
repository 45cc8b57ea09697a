// Plays a hand before the page's own Capture: a camera and networks that return what a test sets.

import { Capture } from "../../mobile_api/phone_page/capture/capture.js";

const hand = (x) => ({
  points: Array.from({ length: 21 }, (_, at) => ({ x: x + 10 * (at % 5), y: 300 + 5 * at })),
  side: "right",
  width: 200,
  isBack: false,
});

/**
 * Return what a play gives, on a clock that jumps to the next timer when nothing else is left.
 *
 * So no play takes seconds, and none depends on the machine.
 *
 * @template T
 * @param {() => Promise<T>} play
 * @returns {Promise<T>}
 */
async function timed(play) {
  const { setTimeout, clearTimeout } = globalThis, clock = performance.now;
  let [timers, now, isOver] = [[], 0, false];
  globalThis.setTimeout = (act, ms) => {
    const timer = { act, at: now + ms };
    timers = [...timers, timer].sort((one, other) => one.at - other.at);
    return timer;
  };
  globalThis.clearTimeout = (timer) => { timers = timers.filter((each) => each !== timer); };
  performance.now = () => now;
  try {
    const played = play().finally(() => { isOver = true; });
    while (!isOver) {
      await new Promise(setImmediate);
      const next = timers.shift();
      now = next?.at ?? now;
      next?.act();
    }
    return await played;
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    performance.now = clock;
  }
}

/**
 * Let a hand tremble, and return what came of it.
 *
 * @param {number[]} focus of the frames, in turn, again and again; below 0.2 it is too blurred.
 * @param {"template"|"picture"} sends
 * @param {number} shake pixels from frame to frame.
 * @param {number} limitMs after which the person gives up.
 * @param {{isRefused: boolean, seen: ("palm"|"back"|"none")[]}} [given] whether no template is
 *   made of any frame; what the frames show, in turn: the last one again and again, or all of
 *   them if there are as many as of `focus`; needed: frames, of an attempt or of an enrolment.
 */
export const tremble = (...given) => timed(() => trembled(...given));

async function trembled(focus, sends, shake, limitMs,
  { isRefused, seen = ["palm"], needed = 2, isAttempt = true } = {}) {
  let taken = 0;
  const said = [];
  const focusOf = (frame) => new Float32Array(frame.data)[0];
  const quality = (frame) => {
    const focus = focusOf(frame);
    const reason = focus < 0.2 ? "too_blurred" : null;
    return { score: reason ? 0 : Math.round(100 * (focus - 0.2) / 0.14), reason, focus };
  };
  let lookedAt = null;
  const moved = (frame) => structuredClone(frame, { transfer: [frame.data] });
  const engine = {
    canInspect: true,
    forget: async () => {},
    inspect: async (frame) => {
      lookedAt = moved(frame);
      await new Promise((resolve) => setTimeout(resolve, 5)); // and the time may run out
      const number = new Float32Array(lookedAt.data)[1];
      const all = seen.length === focus.length;
      const shown = seen[all ? number % seen.length : Math.min(number, seen.length - 1)];
      if (shown === "none") return { hand: null, brightness: 120 };
      const found = { ...hand(400 + shake * (number % 2)), isBack: shown === "back" };
      return { hand: found, quality: quality(lookedAt), brightness: 120 };
    },
    extract: async (frame) => {
      if (isRefused) {
        await new Promise((resolve) => setTimeout(resolve, 500)); // instructions change slowly
        throw Object.assign(new Error(), { code: "palm_not_found" });
      }
      const seen = frame ? moved(frame) : lookedAt;
      return { side: "right", quality: quality(seen), template: [focusOf(seen)] };
    },
  };
  const camera = {
    frame: () => {
      const data = Float32Array.from([focus[taken % focus.length], taken++]).buffer;
      return { data, width: 1280, height: 720 };
    },
    picture: async (frame) => [focusOf(frame ?? lookedAt)],
  };
  const limit = new AbortController();
  setTimeout(() => limit.abort(new DOMException("", "TimeoutError")), limitMs);
  const capture = new Capture({
    engine, camera, mode: { sends }, wanted: null, needed, isAttempt, hint: null,
    signal: limit.signal,
    onview: ({ instruction }) => { if (said.at(-1) !== instruction) said.push(instruction); },
    onlast() {},
  });
  const started = performance.now();
  const kept = await capture.run().catch((fault) => fault.name);
  return { kept, said, ms: performance.now() - started };
}
