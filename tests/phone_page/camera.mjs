// Plays the browser before the page's own Camera: permissions that are given late, pictures that stop.

import { Camera } from "../../mobile_api/phone_page/capture/camera.js";

/** Return a camera, and what the browser knows: who asked, which tracks there are, and a video. */
function browser(getUserMedia) {
  const known = { tracks: [], onhide: null, video: { srcObject: null, play: async () => {} } };
  const mediaDevices = { getUserMedia: () => getUserMedia(known) };
  Object.defineProperty(globalThis, "navigator", { value: { mediaDevices }, configurable: true });
  globalThis.document = { hidden: true, createElement: () => ({ getContext: () => ({}) }),
    addEventListener: (_, listener) => (known.onhide = listener) };
  return { ...known, known, camera: new Camera() };
}

function streamOf({ tracks }) {
  const track = { isOn: true, stop: () => (track.isOn = false) };
  tracks.push(track);
  return { getTracks: () => [track], getVideoTracks: () => [track],
    get active() { return track.isOn; } };
}

const isOn = (tracks) => tracks.map((track) => track.isOn);

/**
 * Open the camera, do something else before the permission comes, and return what is left on.
 *
 * @param {"stop"|"open"|"refuse"} meanwhile
 */
export async function interrupted(meanwhile) {
  const asked = [];
  const { camera, known, tracks, video } =
    browser(() => new Promise((...ends) => asked.push(ends)));
  const first = camera.open("environment", video);
  const second = meanwhile === "stop" ? camera.stop() : camera.open("user", video);
  const [give, refuse] = asked[0];
  if (meanwhile === "refuse") refuse(new DOMException("", "NotReadableError"));
  else give(streamOf(known));
  asked[1]?.[0](streamOf(known));
  const opened = [await first, await second].map(Boolean);
  return { opened, on: isOn(tracks), isShown: video.srcObject !== null };
}

/** Open the camera once and again, or hide the page; return which streams there were are on. */
export async function reopened(steps) {
  const { camera, known, tracks, video } = browser(async (all) => streamOf(all));
  for (const step of steps) {
    if (step === "hide") known.onhide();
    else await camera.open(step, { ...video });
  }
  return isOn(tracks);
}

/** Open a camera: its picture is refused ("play") or ends ("track"), or there is "nothing". */
export async function stopped(how) {
  const { camera, tracks, video } = browser(async (all) => streamOf(all));
  if (how === "play") {
    video.play = async () => {
      throw new DOMException("", "NotAllowedError");
    };
  }
  if (how === "nothing") navigator.mediaDevices = undefined;
  const lost = new Promise((resolve) => (camera.onlost = resolve));
  await camera.open("environment", video).catch(camera.onlost);
  if (how === "track") tracks[0].onended();
  return (await lost).kind;
}
