/**
 * Runs the networks in a worker, so that the page never freezes. Messages: {id, task, ...} in,
 * {id, answer} or {id, fault} out; {progress} while loading.
 */

import { trackHand, isPossible, locatePalm } from "../palm/locate.js";
import { loadNetworks } from "../palm/networks.js";
import { fromRgba } from "../palm/picture.js";
import { luma } from "../palm/detector_input.js";
import { encodeTemplate } from "../palm/template.js";
import { measureTemplateMs } from "./speed_test.js";

let networks = null;
let extractor = "";
let picture = null;
let before = null;
let rung = 0;

const tasks = {
  /** Load the networks and measure the phone's speed. */
  async load({ files, limitMs }) {
    extractor = files.extractor;
    networks = await loadNetworks(files, (progress) => postMessage({ progress }));
    return { templateMs: await measureTemplateMs(networks, limitMs) };
  },

  /** Discard the last frame and the tracked hand. */
  async forget() {
    [picture, before, rung] = [null, null, 0];
  },

  /** Return what a frame shows, for guidance; of a moving hand only where it is. */
  async inspect({ frame, isMoving }) {
    picture = fromRgba(new Uint8Array(frame.data), frame.width, frame.height);
    const reading = await trackHand(networks, picture, before, rung);
    rung = reading ? 0 : rung + 1;
    before = reading;
    if (!reading) return { hand: null, brightness: brightness(picture) };
    if (isMoving) return { hand: handOf(reading) };
    const { quality } = await networks.palm(picture, reading);
    return { hand: handOf(reading), quality, brightness: brightness(picture) };
  },

  /** Make the template of a frame, or of the last one, exactly as the service does. */
  async extract({ frame }) {
    if (frame) picture = fromRgba(new Uint8Array(frame.data), frame.width, frame.height);
    const reading = await locatePalm(networks, picture);
    const { vector, code, dense, quality } = await networks.palm(picture, reading);
    const { side } = reading;
    if (quality.reason) return { side, quality, template: null };
    return { side, quality, template: encodeTemplate({ extractor, side, vector, code, dense }) };
  },
};

function handOf(reading) {
  const { points, side, width } = reading;
  return { points, side, width, isBack: !isPossible(reading) };
}

const SAMPLING = 16;

/** Mean grey level of a picture, from a sample of its pixels. */
function brightness({ data, width, height }) {
  let [sum, count] = [0, 0];
  for (let y = 0; y < height; y += SAMPLING) {
    for (let x = 0; x < width; x += SAMPLING, count++) {
      const at = (y * width + x) * 3;
      sum += luma(data[at], data[at + 1], data[at + 2]);
    }
  }
  return sum / count;
}

self.onmessage = async ({ data: { id, task, ...given } }) => {
  try {
    postMessage({ id, answer: await tasks[task](given) });
  } catch (fault) {
    postMessage({ id, fault: { code: fault.code ?? null, message: String(fault.message) } });
  }
};
