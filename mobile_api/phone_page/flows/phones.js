/** My phones: lists the account's phones and last sign-ins; approves and removes phones. */

import { Refused } from "../service/client.js";
import { h } from "../view/dom.js";
import { day, named, text } from "../view/parts.js";
import { announce, button, quiet, show, showBusy } from "../view/stage.js";
import { t } from "../words/words.js";
import { answersTo, refusePhone } from "./news.js";
import { choosePush, mayBeTold } from "./push.js";
import { confirmed } from "./screen_lock.js";
import { Cancelled } from "./palm.js";
import { showRecoveryCode } from "./trust.js";
import { withVerifiedPalm } from "./verification.js";

/**
 * Show the phones and the last sign-ins, and let the person change what is wrong.
 *
 * @throws {Cancelled} the person does not want to show a palm.
 */
export async function showPhones(app, signal) {
  let proved = await prove(app, signal);
  while (proved) {
    const chosen = await choose(app, proved, signal);
    if (chosen === "home") return;
    if (chosen === "push") await choosePush(app, signal);
    else proved = await change(app, proved, chosen, signal);
  }
}

const prove = (app, signal) => withVerifiedPalm(app, (palm) => app.phone.phones(palm), signal);

/** Return "home", or {phone, act}: of no phone to renew the recovery code. */
async function choose(app, { phones, sign_ins: signIns }, signal) {
  let pick;
  const picked = new Promise((resolve) => (pick = resolve));
  const parts = [
    text("my_phones"),
    h("ul", { class: "apps", id: "phones" }, ...phones.map((each, at) => rowOf(each, at, pick))),
  ];
  if (signIns.length) {
    parts.push(h("h2", {}, t("title_sign_ins")),
      h("ul", { class: "apps", id: "sign-ins" }, ...signIns.map(signInOf)));
  }
  const more = [...((await mayBeTold(app)) ? ["push"] : []), "recovery_code"];
  const actions = ["home", ...more.map(quiet)];
  const left = show({ name: "my_phones", parts, actions }, signal)
    .then((chosen) => (chosen === "recovery_code" ? { act: renewRecoveryCode } : chosen));
  return Promise.race([picked, left]);
}

function rowOf(phone, at, pick) {
  const about = h("div", { class: "client", id: `request-${at}` }, named(phone.name),
    h("span", { "data-trust": phone.trust }, phone.is_this && `${t("phone_this")} · `,
      t(`phone_state_${phone.trust}`)),
    h("span", { class: "since" }, t("my_apps_since", { date: day(phone.since) })),
    h("span", { class: "since" }, t("phone_last_used", { date: day(phone.last_used) })));
  if (!phone.waiting) return h("li", {}, about, removalOf(phone, at, pick));
  const choose = (isApproved) => pick({ phone, act: isApproved ? approve : refuse });
  const warning = text("request_warning", phone, { class: "warning" });
  return h("li", {}, about, warning, answersTo(phone, at, choose));
}

const removalOf = (phone, at, pick) => !phone.is_this
  && button("remove_phone", () => pick({ phone, act: remove }),
    { class: "outlined removal", "data-handle": phone.handle,
      "aria-describedby": `request-${at}` });

function signInOf(signIn) {
  const phone = h("bdi", {}, signIn.phone ?? t("phone_removed"));
  const how = t(signIn.with_trusted_phone ? "sign_in_trusted" : "sign_in_palm");
  const by = signIn.at_station ? [t("sign_in_station")] : [phone, " · ", how];
  return h("li", {},
    h("p", { class: "since" }, named(signIn.client_name), " ", h("bdi", {}, signIn.client_host)),
    h("p", { class: "since" }, day(signIn.at)),
    h("p", { class: "since" }, ...by));
}

/** Change a phone and return what is to be shown then. */
async function change(app, proved, { phone, act }, signal) {
  try {
    const left = await act(app, proved, phone, signal);
    return { ...proved, ...left };
  } catch (fault) {
    if (fault instanceof Cancelled) return proved;
    if (!(fault instanceof Refused)) throw fault;
    if (fault.error === "phone_gone") return without(proved, phone);
    if (fault.error !== "palm_proof_expired") throw fault;
  }
  return prove(app, signal);
}

async function approve(app, proved, phone, signal) {
  showBusy("opening");
  const act = () => app.phone.approvePhone(phone.handle, proved.palm_proof);
  const left = await confirmed(app, act, signal);
  app.news.forget();
  announce(t("title_phone_trusted"));
  return left;
}

async function refuse(app, proved, phone, signal) {
  await refusePhone(app, phone, signal);
  return without(proved, phone);
}

async function remove(app, proved, phone, signal) {
  const box = h("input", { type: "checkbox", id: "end-sign-ins" });
  const parts = [
    h("div", { class: "client" }, named(phone.name)),
    text("remove_phone"),
    h("p", { class: "agree" }, box, h("label", { for: "end-sign-ins" }, t("remove_end_sign_ins"))),
  ];
  const actions = [{ key: "remove_phone", look: "removal" }, "cancel"];
  if ((await show({ name: "remove_phone", parts, actions }, signal)) === "cancel") return {};
  showBusy("opening");
  const act = () => app.phone.removePhone(phone.handle, proved.palm_proof, box.checked);
  const left = await confirmed(app, act, signal);
  announce(t("title_phone_refused"));
  return left;
}

const without = (proved, gone) =>
  ({ ...proved, phones: proved.phones.filter(({ handle }) => handle !== gone.handle) });

async function renewRecoveryCode(app, proved, _, signal) {
  const give = () => app.phone.recoveryCode(proved.palm_proof);
  await showRecoveryCode((await confirmed(app, give, signal)).recovery_code);
  return {};
}
