/** Enrolment: consent, then several frames of each palm. */

import { Refused } from "../service/client.js";
import { keepsData } from "../service/device_key.js";
import { h } from "../view/dom.js";
import { story } from "../view/icons.js";
import { because, lasting, longCode, text } from "../view/parts.js";
import { quiet, show, showBusy, showStep } from "../view/stage.js";
import { has, t } from "../words/words.js";
import { Cancelled, presentPalm } from "./palm.js";
import { offerScreenLock } from "./screen_lock.js";
import { renewCode, trustPhone } from "./trust.js";

/** Views of each palm; the service requires at least two that match. */
const FRAMES = 4;

/** How often others are requested in place of those that match no others. */
const ROUNDS = 3;

const SIDES = ["right", "left"];

/** Errors after which the person may retry at once. */
const AGAIN = new Set(["samples_disagree", "one_palm_twice", "too_few_samples", "enrolment_gone",
  "consent_changed", "palm_mismatch"]);

/** Screens that other flows have, too. */
const NAMES = { too_many_attempts: "end_too_many_attempts",
  one_palm_twice: "enrolment_samples_disagree" };

/** Enrol the palms of a person; with one that has an account, ask it to trust this phone. */
export async function setUp(app, signal) {
  if (await enrol(app, signal)) await trustPhone(app, signal);
}

/**
 * Enrol the palms of a person.
 *
 * @returns {Promise<boolean>} whether it turned out that the palm has an account, by which the
 *   person wants to go on.
 * @throws {Cancelled} the person declined.
 */
export async function enrol(app, signal) {
  try {
    return await enrolled(app, signal);
  } finally {
    showStep(0);
  }
}

async function enrolled(app, signal) {
  const isKept = (await keepsData()) || (await warn(signal));
  for (;;) {
    const consent = await app.phone.consent(document.documentElement.lang);
    showStep(1);
    await agree(consent, signal);
    try {
      const opened = await app.phone.openEnrolment(consent);
      await app.picturesUnlessTrusted(opened);
      await addPalms(app, opened, signal);
      const done = await finished(app, opened.enrolment_id, consent);
      if (!done) return true;
      if (opened.challenge) app.sendTemplates();
      // A browser that forgets: before anything else, the way back.
      if (!isKept) await renewCode(app, signal, done.palm_proof, "enrolled");
      const isSafe = await offerScreenLock(app, done.palm_proof, signal);
      if (isKept) await offerCode(app, done.palm_proof, isSafe, signal);
      return false;
    } catch (fault) {
      await explain(fault, signal);
    }
  }
}

/** Say that this browser keeps nothing; return false. */
async function warn(signal) {
  const parts = [text("keeps_nothing", {}, { class: "warning" })];
  const screen = { name: "keeps_nothing", parts, actions: ["cancel", "continue"], kind: "bad" };
  if ((await show(screen, signal)) === "cancel") throw new Cancelled();
  return false;
}

/** Enrol the shown palms, without those that another account holds; null: show one of them again. */
async function finished(app, enrolmentId, consent) {
  for (;;) {
    showStep(4);
    showBusy("finishing");
    try {
      return await app.phone.finishEnrolment(enrolmentId);
    } catch (fault) {
      if (fault.error !== "already_enrolled") throw fault;
      if ((await showDispute(fault, consent)) === "show_palm") return null;
    }
  }
}

/** Say that the palms are set up, what losing the phone means, and offer a recovery code. */
async function offerCode(app, palmProof, isSafe, signal) {
  const losing = isSafe ? [text("losing_passkey")] : losingAll(app.assets.waitHours);
  const parts = [text("enrolled"), h("h2", {}, t("title_losing")), ...losing, text("losing_code")];
  const screen = { name: "enrolled", parts, actions: ["show_code", "continue"], kind: "good" };
  if ((await show(screen, signal)) === "continue") return;
  await renewCode(app, signal, palmProof, "enrolled");
}

/** Whether this browser deletes what scripts stored after seven days without a visit. */
const isWebKit = () => /^Apple/.test(navigator.vendor);

/** What it means to lose a phone that has no passkey; hours: of waiting, if that helps at all. */
function losingAll(hours) {
  const given = { class: "warning" };
  return [text("losing_phone"), hours ? text("losing_wait", { time: lasting(hours) }, given)
    : text("losing_account", {}, given), ...(isWebKit() ? [text("losing_key", {}, given)] : [])];
}

/** Show the consent text with an empty checkbox. */
async function agree(consent, signal) {
  const box = h("input", { type: "checkbox", id: "agreed" });
  const parts = [
    h("div", { class: "consent", id: "consent", tabindex: "0", role: "region", dir: "auto",
      lang: consent.language, "aria-label": t("title_consent") }, ...paragraphs(consent.text)),
    h("p", { class: "version" }, t("consent_version", { version: isolated(consent.version) })),
    h("p", { class: "agree" }, box, h("label", { for: "agreed" }, t("consent_agree"))),
    h("p", { class: "missing", id: "missing", role: "alert" }),
  ];
  for (;;) {
    const screen = { name: "consent", parts, actions: ["agree", "refuse"] };
    if (await show(screen, signal) === "refuse") throw new Cancelled();
    if (box.checked) return;
    parts.at(-1).textContent = t("consent_missing");
  }
}

/** Isolate left-to-right text within a right-to-left line. */
const isolated = (text) => `\u2066${text}\u2069`;

/** Split a wrapped text at empty lines into headings, which begin with "# ", and paragraphs. */
const paragraphs = (text) => text.split(/\n\s*\n/).map((lines) => {
  const [, mark, words] = /^(# )?([^]*)$/.exec(lines.trim());
  return h(mark ? "h2" : "p", {}, words.replace(/\s*\n\s*/g, " "));
});

/** Add both palms: with one stream of the camera, which ends with the last of them. */
async function addPalms(app, opened, signal) {
  try {
    for (const side of SIDES) await addPalm(app, opened, side, signal);
  } finally {
    app.camera.stop();
  }
}

async function addPalm(app, opened, side, signal) {
  showStep(2 + SIDES.indexOf(side));
  const name = `palm_${side}`;
  const parts = [story("show_palm", "burst", "good"), text(`${name}_help`), app.modeNote()];
  const actions = ["start_camera", "cancel", quiet("skip_hand")];
  const chosen = await show({ name, parts, actions }, signal);
  if (chosen === "cancel") throw new Cancelled();
  if (chosen === "start_camera") await capture(app, opened, side, signal);
}

/** Take frames of a palm until enough match each other; a challenge gives several at once. */
async function capture(app, { enrolment_id: id, samples_needed: least, challenge }, side, signal) {
  let missing = FRAMES;
  for (let round = 1; missing > 0; round++) {
    const want = { name: `capture_${side}`, wanted: side, needed: missing,
      purpose: "enrolment", id };
    const send = (palm) => app.phone.addSample(id, palm);
    const { samples } = await presentPalm(app, want, send, signal);
    missing = (challenge || round === ROUNDS ? least : FRAMES) - samples[side];
    if (missing > 0 && round === ROUNDS) throw new Refused(409, { error: "samples_disagree" });
  }
}

async function explain(fault, signal) {
  if (!(fault instanceof Refused)) throw fault;
  const name = NAMES[fault.error] ?? `enrolment_${fault.error}`;
  if (!has(name)) throw fault;
  const actions = AGAIN.has(fault.error) ? ["try_again", "cancel"] : ["continue"];
  const screen = { name, parts: [because(name, fault)], actions, kind: "bad" };
  if ((await show(screen, signal)) !== "try_again") throw new Cancelled();
}

/**
 * Say that a palm is enrolled already; show the code with which a person may object.
 *
 * @returns {Promise<string>} "show_palm" to sign in with it, "other_palm" to enrol the other.
 * @throws {Cancelled}
 */
async function showDispute({ disputeCode: code, others }, { support_email: email }) {
  const name = "enrolment_already_enrolled";
  const hasOther = others.length > 0;
  const parts = [
    text(name),
    ...(code ? [text("dispute", { email: isolated(email) }), longCode(code)] : []),
    ...(hasOther ? [text("dispute_other")] : []),
  ];
  const actions = [...(hasOther ? ["other_palm"] : []), "show_palm", "cancel"];
  // Shown to the end even if a login ends meanwhile: the code is not shown again.
  const chosen = await show({ name, parts, actions, kind: "bad", stays: Boolean(code) });
  if (chosen === "cancel") throw new Cancelled();
  return chosen;
}
