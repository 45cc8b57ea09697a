/** Captures frames of a palm and sends them; explains camera problems and retries. */

import { CameraFault } from "../capture/camera.js";
import { Capture } from "../capture/capture.js";
import { Challenge } from "../capture/challenge.js";
import { packed } from "../capture/frames.js";
import { instructionForRefusal } from "../capture/guidance.js";
import { EngineFault } from "../capture/palm_engine.js";
import { FRAMES_TYPE, Refused } from "../service/client.js";
import { h } from "../view/dom.js";
import { loading, modeLine, text } from "../view/parts.js";
import { announce, quiet, show, showBusy } from "../view/stage.js";
import { Viewfinder } from "../view/viewfinder.js";
import { has, t } from "../words/words.js";
import { chooseMotions, wishesOf } from "./motions.js";

/** The person cancelled the action. */
export class Cancelled extends Error {}

/** Most frames of an attempt. */
const FRAMES = 3;

/** Most octets of them as pictures, heads included. */
const LIMIT = 2_000_000;

/** Errors after which the next frame may succeed. */
const TRY_AGAIN =
  new Set(["palm_not_found", "back_of_hand", "quality_too_low", "samples_repeat"]);

/** Errors whose cause is shown before the next frame, and the screen's title. */
const EXPLAINED = { presentation_attack: "picture", sample_unreadable: "picture",
  sample_cmyk: "picture", service_busy: "busy", gallery_unreachable: "busy", temporarily_unavailable: "busy" };

/** Errors after which something else is sent instead of a template, and why. */
const WANTS_OTHER = { template_not_accepted: "refused", template_unmatched: "refused",
  extractor_mismatch: "asked", challenge_needed: "challenge" };

/** The person wants to choose the motions of a challenge. */
class WantsMotions extends Error {}

/** Errors of a challenge, after which another one can be passed, and what is said of them. */
const FAILED = { challenge_failed: null, challenge_gone: "too_late", wrong_state: "too_late",
  motions_code_needed: "code_needed" };

/**
 * Collect frames and send them until the service accepts them: as one attempt, or each alone.
 *
 * @param app
 * @param {{name: string, wanted?: "left"|"right", needed?: number,
 *   purpose?: "login"|"enrolment", id?: string}} want needed: frames, each sent alone; none: those
 *   of one attempt; purpose, id: what a challenge is for. An enrolment stops the camera itself.
 * @param {(palm: Uint8Array|Blob|{challenge: string}) => Promise<object>} send
 * @param {AbortSignal} signal
 * @returns {Promise<object>} the service's last answer.
 */
export async function presentPalm(app, want, send, signal) {
  try {
    return await accepted(app, want, send, signal);
  } finally {
    if (want.purpose !== "enrolment") app.camera.stop();
  }
}

async function accepted(app, want, send, signal) {
  let hint = null;
  let sent = 0;
  for (;;) {
    try {
      const isAttempt = !want.needed;
      const wanted = { ...want, needed: (want.needed ?? FRAMES) - sent, isAttempt, hint };
      const { kept, still } = await takePalm(app, wanted, signal);
      showBusy("sending", still);
      let answer;
      const bodies = isAttempt ? [await together(kept)] : kept.map(({ body }) => body);
      for (const body of bodies) {
        answer = await send(body);
        sent += 1;
      }
      return answer;
    } catch (fault) {
      hint = await instructionAfter(app, fault, signal);
    }
  }
}

/** Return the best frame and those of the same hand: one attempt. */
async function together(kept) {
  const [{ side, body }] = kept;
  if (body.challenge) return body;
  const bodies = kept.filter((each) => each.side === side).map((each) => each.body);
  if (body instanceof Uint8Array) return new Uint8Array(await new Blob(bodies).arrayBuffer());
  const octets = await Promise.all(bodies.map((each) => each.arrayBuffer()));
  const frames = octets.map((all) => ({ at: 0, phase: "open", jpeg: new Uint8Array(all) }));
  while (frames.length > 1 && packed(frames).length > LIMIT) frames.pop();
  return frames.length > 1 ? new Blob([packed(frames)], { type: FRAMES_TYPE }) : body;
}

async function instructionAfter(app, fault, signal) {
  if (!(fault instanceof Refused)) throw fault;
  const { sends, why } = await app.mode();
  const other = WANTS_OTHER[fault.error];
  if (other && why !== "challenge" && (other === "challenge" || sends === "template")) {
    app.sendPictures(other);
    return null;
  }
  if (why === "challenge" && fault.error in FAILED) return explainFailed(fault, signal);
  if (fault.error in EXPLAINED) return explainRefused(fault.error, signal);
  if (!TRY_AGAIN.has(fault.error)) throw fault;
  return instructionForRefusal(fault.error, fault.reason);
}

/** Say why the service did not take a picture; the next one may be taken. */
async function explainRefused(error, signal) {
  const name = `refused_${EXPLAINED[error]}`;
  const parts = [text(has(`refused_${error}`) ? `refused_${error}` : name)];
  await orCancelled({ name, parts, actions: ["try_again", "cancel"], kind: "bad" }, signal);
  return null;
}

/**
 * Show a screen and return the chosen action.
 *
 * @throws {Cancelled}
 */
async function orCancelled(screen, signal) {
  const chosen = await show(screen, signal);
  if (chosen === "cancel") throw new Cancelled();
  return chosen;
}

/** Say why a challenge was not passed; the next one may be another. */
async function explainFailed({ error, reason, at }, signal) {
  const key = `challenge_${FAILED[error] ?? reason}`;
  const parts = [text(has(key) ? key : "challenge_not_followed")];
  if (at) parts.unshift(text(at.key, { ...at, motion: t(`say_${at.motion}`) }));
  const screen = { name: "challenge_failed", parts,
    actions: ["try_again", "cancel", quiet("motions")], kind: "bad" };
  if ((await orCancelled(screen, signal)) === "motions") await chooseMotions(signal);
  return null;
}

/** Take frames: again where the camera failed, and as pictures where the networks did. */
async function takePalm(app, want, signal) {
  for (;;) {
    const mode = await prepared(app, signal);
    try {
      return await collected(app, mode, want, signal);
    } catch (fault) {
      if (fault.kind !== "paused") app.camera.stop();
      if (fault instanceof WantsMotions) await chooseMotions(signal);
      else if (fault instanceof CameraFault) await explain(fault.kind, signal);
      else if (!(fault instanceof EngineFault)) throw fault;
    }
  }
}

/** Explain what leaves the phone unless that was explained last; return it. */
async function prepared(app, signal) {
  for (;;) {
    const mode = app.explainedWhy && (await modeOf(app, signal));
    if (mode && app.explainedWhy === mode.why) return mode;
    const parts = [app.modeNote(), text("camera_why")];
    await orCancelled({ name: "ready", parts, actions: ["start_camera", "cancel"] }, signal);
  }
}

/** Wait for the networks where a template may be made; who does not want to sends pictures. */
async function modeOf(app, signal) {
  if (app.known) return app.known;
  const parts = [h("progress"), loading(app.engine)];
  const actions = ["no_wait", "cancel"].map((key) => ({ key, look: "outlined" }));
  const screen = { name: "preparing", title: t("title_opening"), parts, actions };
  const left = orCancelled(screen, signal);
  if ((await Promise.race([app.mode(), left])) === "no_wait") app.sendPictures("unable");
  return app.mode();
}

/** Wait for the networks, which follow a moving hand, as long as the person likes. */
async function guided(engine, line, tools, signal) {
  if (engine.mode) return;
  announce(loading(engine, line).textContent);
  const leaving = new Promise((resolve, reject) => {
    tools.push(tool("no_wait", resolve));
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  await Promise.race([engine.ready, leaving]);
  engine.onprogress = () => {};
  tools.pop().hidden = true;
}

async function explain(kind, signal) {
  const parts = [text(`camera_${kind}`)];
  const actions = [kind === "paused" ? "start_camera" : "try_again", "cancel"];
  await orCancelled({ name: `camera_${kind}`, parts, actions, kind: "bad" }, signal);
}

async function collected(app, mode, want, signal) {
  signal.throwIfAborted(); // a login may end while a palm is sent
  const { name, wanted = null, hint } = want;
  const isChallenge = mode.why === "challenge";
  const viewfinder = new Viewfinder();
  const { camera } = app;
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  camera.onlost = (fault) => ending.abort(fault);
  viewfinder.hand = wanted;
  const tools = h("div", { class: "tools" });
  const more = isChallenge ? [tool("motions", () => ending.abort(new WantsMotions()))] : [];
  const screen = { name, parts: [...viewfinder.parts, tools, modeLine(mode)],
    actions: [{ key: "cancel", look: "outlined" }] };
  const left = orCancelled(screen, ending.signal);
  left.catch((fault) => ending.abort(fault));
  const opened = () => open(app, viewfinder, tools, more);
  const wake = () => document.hidden || opened().catch(camera.onlost);
  document.addEventListener("visibilitychange", wake);
  try {
    const { line } = viewfinder;
    await Promise.all([isChallenge && guided(app.engine, line, more, ending.signal), opened()]);
    if (hint) viewfinder.update({ instruction: hint, share: 0 });
    const onview = (view) => viewfinder.update(view);
    const onlast = (hand) => viewfinder.freeze(camera.still(), hand);
    const given = { ...want, engine: app.engine, camera, mode, wanted, onview, onlast };
    const ways = isChallenge && challengeWays(app, want);
    const Way = isChallenge ? Challenge : Capture;
    const collecting = new Way({ ...given, ...ways, signal: ending.signal }).run();
    // The worker may be silent, and a person who leaves does not wait for it.
    const kept = await Promise.race([collecting, left]);
    return { kept, still: viewfinder.still };
  } finally {
    viewfinder.close();
    document.removeEventListener("visibilitychange", wake);
    signal.removeEventListener("abort", end);
    camera.onlost = () => {};
  }
}

/** Return the requests of a challenge. */
function challengeWays(app, { purpose = "palm_proof", id = null, wanted = null }) {
  const { cannot, code } = wishesOf();
  const asked = { purpose, id, hand: wanted, cannot, motions_code: code };
  return {
    ask: () => app.phone.askChallenge(asked),
    send: (...answer) => app.phone.answerStep(...answer),
  };
}

async function open(app, viewfinder, tools, more) {
  const { camera } = app;
  if (!(await camera.open(app.facing, viewfinder.video))) return;
  viewfinder.isMirrored = camera.isFacingPerson;
  viewfinder.fit();
  const other = app.facing === "environment" ? "user" : "environment";
  tools.replaceChildren(viewfinder.voiceButton, tool("switch_camera", () => {
    app.facing = other;
    open(app, viewfinder, tools, more).catch(camera.onlost);
  }), ...more);
  if (camera.hasTorch) tools.append(torch(camera));
}

function torch(camera) {
  let isOn = false;
  const button = tool("torch", async () => {
    await camera.setTorch(!isOn).then(() => (isOn = !isOn), () => button.remove());
    button.setAttribute("aria-pressed", isOn);
  });
  return button;
}

const tool = (key, click) =>
  h("button", { type: "button", class: "quiet", "data-action": key, click }, t(`action_${key}`));
