/**
 * The three networks in onnxruntime-web: WASM, one thread. They are the service's own files; each
 * is checked against its digest.
 */

import * as ort from "onnxruntime-web/wasm";

import { DETECTOR_INPUT_PX, LANDMARK_INPUT_PX } from "../generated/parameters.js";
import { qualityOf } from "./quality.js";

const LANDMARKS = 21;

/** All of them, in the order in which a palm passes them. */
const NAMES = ["hand_detector", "hand_landmarks", "palm_print_net"];

/**
 * Load all networks.
 *
 * @param {{wasm: File, networks: Record<string, File>}} files File: {url, sha256, size, packed}, of
 *   which the last two are octets as they are and as they are sent.
 * @param {(octets: number) => void} progress called with how many more have come, as sent.
 */
export async function loadNetworks({ wasm, networks }, progress) {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { wasm: wasm.url };
  // onnxruntime then finds its own file in the browser's cache.
  const all = [...NAMES.map((name) => networks[name]), wasm];
  const came = await Promise.all(all.map((file) => fetched(file, progress)));
  const sessions = [];
  for (const [at, name] of NAMES.entries()) {
    const bytes = await checked(came[at], networks[name]);
    sessions.push(await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] }));
  }
  const [detector, landmarks, palm] = sessions;
  return {
    detector: (planes) => run(detector, planes, DETECTOR_INPUT_PX),
    landmarks: async (planes) => {
      const found = await run(landmarks, planes, LANDMARK_INPUT_PX);
      return { ...found, world: found.world_landmarks };
    },
    palm: (picture, reading) => runPalm(palm, picture, reading),
  };
}

async function fetched({ url, size, packed }, progress) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`a network is missing: ${answer.status}`);
  const bytes = new Uint8Array(size);
  const reader = answer.body.getReader();
  for (let came = 0, part; !(part = await reader.read()).done; came += part.value.length) {
    bytes.set(part.value, came);
    progress((part.value.length * packed) / size);
  }
  return bytes;
}

/** Restore a network's byte order and check its digest. */
async function checked(planes, { sha256 }) {
  const bytes = inOrder(planes);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== sha256) throw new Error("a network is damaged");
  return bytes;
}

/**
 * Undo the transfer order: every fourth byte, then every fourth from the second on, and so on.
 * Similar bytes are adjacent in it, which saves brotli a tenth more.
 */
export function inOrder(planes) {
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0, from = 0; plane < 4; plane++) {
    for (let to = plane; to < bytes.length; to += 4) bytes[to] = planes[from++];
  }
  return bytes;
}

async function run(session, planes, side) {
  const picture = new ort.Tensor("float32", planes, [1, 3, side, side]);
  const outputs = await session.run({ picture });
  return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data]));
}

/** Return {vector, code, dense, quality} of the palm that was located in a picture. */
async function runPalm(session, { data, width, height }, { points, side }) {
  const places = Float32Array.from(points.flatMap(({ x, y }) => [x, y]));
  const { vector, code, dense, quality, merits } = await session.run({
    picture: new ort.Tensor("uint8", data, [height, width, 3]),
    landmarks: new ort.Tensor("float32", places, [LANDMARKS, 2]),
    right: new ort.Tensor("bool", [side === "right"], []),
  });
  return {
    vector: vector.data,
    code: code.data,
    dense: dense.data,
    quality: qualityOf(Array.from(merits.data), quality.data, code.data),
  };
}
