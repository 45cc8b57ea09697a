/** Captures frames of a palm and sends them; explains camera problems and retries. */

import { Camera, CameraFault } from "../capture/camera.js";
import { Capture } from "../capture/capture.js";
import { instructionForRefusal } from "../capture/guidance.js";
import { Refused } from "../service/client.js";
import { h } from "../view/dom.js";
import { modeLine, text } from "../view/parts.js";
import { show, showBusy } from "../view/stage.js";
import { Viewfinder } from "../view/viewfinder.js";
import { t } from "../words/words.js";

/** The person cancelled the action. */
export class Cancelled extends Error {}

/** Errors after which the next frame may succeed. */
const TRY_AGAIN =
  new Set(["palm_not_found", "back_of_hand", "quality_too_low", "samples_repeat"]);

/** Errors after which pictures are sent instead of templates, and why. */
const WANTS_PICTURE = { template_not_accepted: "refused", extractor_mismatch: "asked" };

/**
 * Collect frames and send the best of them until the service accepts them.
 *
 * @param app
 * @param {{name: string, wanted?: "left"|"right", needed: number, sent: number}} want sent: how
 *   many of the frames.
 * @param {(palm: Uint8Array|Blob) => Promise<object>} send
 * @param {AbortSignal} signal
 * @returns {Promise<object>} the service's last answer.
 */
export async function presentPalm(app, want, send, signal) {
  let hint = null;
  let sent = 0;
  for (;;) {
    const kept = await takePalm(app, { ...want, needed: want.needed - sent, hint }, signal);
    try {
      showBusy("sending");
      let answer;
      for (const { body } of kept.slice(0, want.sent - sent)) {
        answer = await send(body);
        sent += 1;
      }
      return answer;
    } catch (fault) {
      hint = await instructionAfter(app, fault);
    }
  }
}

async function instructionAfter(app, fault) {
  if (!(fault instanceof Refused)) throw fault;
  if (WANTS_PICTURE[fault.error] && (await app.mode()).sends === "template") {
    app.sendPictures(WANTS_PICTURE[fault.error]);
    return null;
  }
  if (!TRY_AGAIN.has(fault.error)) throw fault;
  return instructionForRefusal(fault.error, fault.reason);
}

async function takePalm(app, want, signal) {
  const mode = await prepared(app, signal);
  for (;;) {
    try {
      return await collected(app, mode, want, signal);
    } catch (fault) {
      if (!(fault instanceof CameraFault)) throw fault;
      await explain(fault.kind, signal);
    }
  }
}

/** Wait for the networks; explain what leaves the phone unless that was explained last. */
async function prepared(app, signal) {
  if (!app.explainedWhy) showBusy("preparing");
  const mode = await app.mode();
  if (app.explainedWhy !== mode.why) {
    const parts = [modeLine(mode), text("camera_why")];
    const chosen = await show({ name: "ready", parts, actions: ["start_camera", "cancel"] }, signal);
    if (chosen === "cancel") throw new Cancelled();
    app.explainedWhy = mode.why;
  }
  return mode;
}

async function explain(kind, signal) {
  const parts = [text(`camera_${kind}`)];
  const actions = ["try_again", "cancel"];
  const chosen = await show({ name: `camera_${kind}`, parts, actions, kind: "bad" }, signal);
  if (chosen === "cancel") throw new Cancelled();
}

async function collected(app, mode, { name, wanted = null, needed, hint }, signal) {
  const viewfinder = new Viewfinder();
  const camera = new Camera(viewfinder.video);
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  camera.onlost = () => ending.abort(new CameraFault("busy"));
  viewfinder.hand = wanted;
  const tools = h("div", { class: "tools" });
  const screen = { name, parts: [...viewfinder.parts, tools, modeLine(mode)], actions: ["cancel"] };
  const cancelled = show(screen, ending.signal).then(() => ending.abort(new Cancelled()));
  cancelled.catch(() => {});
  const opened = () => open(app, camera, viewfinder, tools);
  const asleep = sleeping(camera, opened);
  try {
    await opened();
    if (hint) viewfinder.update({ instruction: hint, share: 0 });
    const onview = (view) => viewfinder.update(view);
    const given = { engine: app.engine, camera, mode, wanted, needed, onview, hint };
    return await new Capture({ ...given, signal: ending.signal }).run();
  } finally {
    viewfinder.close();
    document.removeEventListener("visibilitychange", asleep);
    signal.removeEventListener("abort", end);
    camera.stop();
  }
}

async function open(app, camera, viewfinder, tools) {
  if (!(await camera.open(app.facing))) return;
  viewfinder.isMirrored = camera.isFacingPerson;
  viewfinder.fit();
  const other = app.facing === "environment" ? "user" : "environment";
  tools.replaceChildren(viewfinder.voiceButton, tool("switch_camera", () => {
    app.facing = other;
    open(app, camera, viewfinder, tools).catch(camera.onlost);
  }));
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

/** Stop the camera while the page is hidden. */
function sleeping(camera, opened) {
  const follow = () => {
    if (document.hidden) camera.stop();
    else opened().catch(camera.onlost);
  };
  document.addEventListener("visibilitychange", follow);
  return follow;
}
