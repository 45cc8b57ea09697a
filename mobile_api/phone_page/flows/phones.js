/** My phones: lists the account's phones, approves and removes them. */

import { h } from "../view/dom.js";
import { day, named, text } from "../view/parts.js";
import { announce, button, show } from "../view/stage.js";
import { t } from "../words/words.js";
import { answersTo, refusePhone } from "./news.js";

/**
 * Show the phones, and let the person change what is wrong.
 *
 * @throws {Cancelled} the person does not want to show a palm.
 */
export async function showPhones(app, signal) {
  for (let opened; (opened = await app.account.open(signal)); ) {
    const chosen = await choose(opened.phones, signal);
    if (!chosen) return;
    await chosen.act(app, chosen.phone, signal);
  }
}

/** Return {phone, act}; null to leave. */
async function choose(phones, signal) {
  let pick;
  const picked = new Promise((resolve) => (pick = resolve));
  const rows = phones.map((each, at) => rowOf(each, at, pick));
  const parts = [text("my_phones"), h("ul", { class: "apps", id: "phones" }, ...rows)];
  const left = show({ name: "my_phones", parts, actions: ["home"] }, signal).then(() => null);
  return Promise.race([picked, left]);
}

function rowOf(phone, at, pick) {
  const about = h("div", { class: "client", id: `request-${at}` }, named(phone.name),
    h("span", { "data-trust": phone.trust }, phone.is_this && `${t("phone_this")} · `,
      t(`phone_state_${phone.trust}`)),
    h("span", { class: "since" }, t("my_apps_since", { date: day(phone.since) })),
    h("span", { class: "since" }, t("phone_last_used", { date: day(phone.last_used) })));
  if (!phone.waiting) return h("li", {}, about, removalOf(phone, at, pick));
  const choose = (isApproved) => pick({ phone, act: isApproved ? approve : refusePhone });
  const warning = text("request_warning", phone, { class: "warning" });
  return h("li", {}, about, warning, answersTo(phone, at, choose));
}

const removalOf = (phone, at, pick) => !phone.is_this
  && button("remove_phone", () => pick({ phone, act: remove }),
    { class: "outlined removal", "data-handle": phone.handle,
      "aria-describedby": `request-${at}` });

async function approve(app, phone, signal) {
  const act = (proof) => app.phone.approvePhone(phone.handle, proof);
  if (!(await app.account.change("phones", phone, act, signal))) return;
  app.news.forget();
  announce(t("title_phone_trusted"));
}

async function remove(app, phone, signal) {
  const box = h("input", { type: "checkbox", id: "end-sign-ins" });
  const parts = [
    h("div", { class: "client" }, named(phone.name)),
    text("remove_phone"),
    h("p", { class: "agree" }, box, h("label", { for: "end-sign-ins" }, t("remove_end_sign_ins"))),
  ];
  const actions = [{ key: "remove_phone", look: "removal" }, "cancel"];
  if ((await show({ name: "remove_phone", parts, actions }, signal)) === "cancel") return;
  const act = (proof) => app.phone.removePhone(phone.handle, proof, box.checked);
  if (await app.account.change("phones", phone, act, signal)) announce(t("title_phone_refused"));
}
