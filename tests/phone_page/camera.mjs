// Plays the browser before the page's own Camera: permissions that are given late, pictures that stop.

import { Camera } from "../../mobile_api/phone_page/capture/camera.js";

/**
 * Open the camera, do something else before the permission comes, and return what is left on.
 *
 * @param {"stop"|"open"|"refuse"} meanwhile
 */
export async function interrupted(meanwhile) {
  const asked = [];
  const mediaDevices = { getUserMedia: () => new Promise((...ends) => asked.push(ends)) };
  Object.defineProperty(globalThis, "navigator", { value: { mediaDevices }, configurable: true });
  globalThis.document = { createElement: () => ({ getContext: () => ({}) }) };
  const camera = new Camera({ srcObject: null, play: async () => {} });
  const tracks = [];
  const stream = () => {
    const track = { isOn: true, stop: () => (track.isOn = false) };
    tracks.push(track);
    return { getTracks: () => [track], getVideoTracks: () => [track] };
  };
  const first = camera.open("environment");
  const second = meanwhile === "stop" ? camera.stop() : camera.open("user");
  const [give, refuse] = asked[0];
  if (meanwhile === "refuse") refuse(new DOMException("", "NotReadableError"));
  else give(stream());
  asked[1]?.[0](stream());
  const opened = [await first, await second].map(Boolean);
  return { opened, on: tracks.map(({ isOn }) => isOn), isShown: camera.video.srcObject !== null };
}

/** Open a camera whose picture is refused ("play") or ends ("track"); return the fault's kind. */
export async function stopped(how) {
  const track = { stop: () => {} };
  const stream = { getTracks: () => [track], getVideoTracks: () => [track] };
  const mediaDevices = { getUserMedia: async () => stream };
  Object.defineProperty(globalThis, "navigator", { value: { mediaDevices }, configurable: true });
  globalThis.document = { createElement: () => ({ getContext: () => ({}) }) };
  const play = async () => {
    if (how === "play") throw new DOMException("", "NotAllowedError");
  };
  const camera = new Camera({ srcObject: null, play });
  const lost = new Promise((resolve) => (camera.onlost = resolve));
  await camera.open("environment").catch(camera.onlost);
  if (how === "track") track.onended();
  return (await lost)?.kind ?? null;
}
