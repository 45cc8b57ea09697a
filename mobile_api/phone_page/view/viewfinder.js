/**
 * The camera's picture with a hand outline, a progress circle, and one instruction as text, icon,
 * voice and vibration.
 */

import { t } from "../words/words.js";
import { h, svg } from "./dom.js";
import { vibrate } from "./vibration.js";
import { icon } from "./icons.js";
import { palmLines } from "./palm_lines.js";
import { OUTLINE, Target } from "./target.js";
import { announce } from "./stage.js";
import { canSpeak, endSpeech, isVoiceOn, onVoices, remind, setVoice } from "./voice.js";

const CIRCUMFERENCE = 2 * Math.PI * 48;

export class Viewfinder {
  #shown = null;
  #isMirrored = false;
  #closing = new AbortController();

  /** What a taken frame leaves to show while it is sent. */
  still = [];

  constructor() {
    this.video = h("video", { playsinline: true, muted: true, "aria-hidden": "true" });
    this.video.muted = true;
    this.progress = svg("circle", { cx: 50, cy: 50, r: 48, class: "progress" });
    this.progress.style.strokeDasharray = `0 ${CIRCUMFERENCE}`;
    const track = svg("circle", { cx: 50, cy: 50, r: 48, class: "track" });
    const outline = svg("path", { d: OUTLINE, class: "outline" });
    this.overlay = svg("svg", { viewBox: "0 0 100 100", class: "overlay", "aria-hidden": "true" },
      track, this.progress, outline);
    this.target = new Target(this.video);
    this.frame = h("div", { class: "viewfinder" }, this.video, this.overlay, this.target.drawing);
    this.count = h("p", { class: "count", id: "count", hidden: true });
    this.line = h("p", { class: "instruction", id: "instruction" });
    this.voiceButton = voiceButton(() => this.#say(), this.#closing.signal);
  }

  /** The elements in display order. */
  get parts() {
    return [this.frame, this.count, this.line];
  }

  /** Adopt the aspect ratio of the camera's picture. */
  fit() {
    const { videoWidth: width, videoHeight: height } = this.video;
    if (width && height) this.frame.style.setProperty("--ratio", width / height);
  }

  /** Whether the picture is mirrored. */
  set isMirrored(is) {
    this.#isMirrored = is;
    this.frame.classList.toggle("mirrored", is);
  }

  /** Show the outline of the requested hand. */
  set hand(side) {
    this.overlay.classList.toggle("right", side !== "left");
  }

  /** Show an instruction (null: a good frame), the progress, 0 to 1, and where a palm has to be. */
  update({ instruction, share, view = null, step = null, steps = 0 }) {
    this.target.update(step, view);
    this.count.hidden = !step;
    this.count.textContent = step ? t("challenge_count", { step: step.number, steps }) : "";
    this.frame.classList.toggle("aimed", Boolean(step));
    this.line.classList.toggle("turned", this.target.isTurned !== this.#isMirrored);
    this.progress.style.strokeDasharray = `${share * CIRCUMFERENCE} ${CIRCUMFERENCE}`;
    if (instruction) this.#thaw();
    const key = instruction ?? "good";
    if (key === this.#shown) return remind(t(`say_${key}`));
    this.#shown = key;
    this.line.dataset.instruction = key;
    this.line.replaceChildren(icon(key), t(`say_${key}`));
    this.#say();
    vibrate(key);
  }

  /** Show a taken frame, with the lines of its palm where a hand was seen. */
  freeze(frame, hand) {
    this.#thaw();
    this.still = [this.frame];
    this.frame.append(frame, ...(hand ? [palmLines(frame, hand)] : []));
  }

  #thaw() {
    this.still = [];
    for (const canvas of this.frame.querySelectorAll("canvas")) canvas.remove();
  }

  /** Stop announcing. */
  close() {
    this.#closing.abort();
    endSpeech();
    announce("", { isUrgent: true });
  }

  #say() {
    if (this.#shown) announce(t(`say_${this.#shown}`), { isUrgent: true });
  }
}

/** The voice switch; hidden if the device has no voice for the language. */
function voiceButton(say, signal) {
  const toggle = () => {
    setVoice(!isVoiceOn());
    button.setAttribute("aria-pressed", isVoiceOn());
    if (isVoiceOn()) say();
  };
  const given = { type: "button", class: "quiet", "data-action": "speak", click: toggle };
  const button = h("button", { ...given, "aria-pressed": isVoiceOn() ? "true" : "false" },
    t("action_speak"));
  const offer = () => (button.hidden = !canSpeak());
  onVoices(offer, signal);
  offer();
  return button;
}
