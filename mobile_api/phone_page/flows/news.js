/**
 * News of the account's phones: requests of new phones and notices. Requested in the background,
 * and shown on the home screen and at the end of a login.
 */

import { savedNoticed, savedTrust, saveNoticed } from "../service/device_key.js";
import { h } from "../view/dom.js";
import { announce, button, show, showBusy } from "../view/stage.js";
import { day, dayAgo, momentIn, named, text } from "../view/parts.js";
import { has, t } from "../words/words.js";
import { Cancelled } from "./palm.js";
import { forTrusted } from "./trust.js";

export class News {
  /** The service's latest answer; null: none yet. Notices that were shown before are left out. */
  said = null;
  #asked = null;
  #shown = [];
  #phone;

  /** @param {import("../service/phone.js").Phone} phone */
  constructor(phone) {
    this.#phone = phone;
  }

  /** Ask once a visit; a phone without an account has no news. Never throws. */
  async ask() {
    if (this.#asked || (await savedTrust()) === "none") return this.#asked;
    this.#asked = this.#phone.ownPhone().then((said) => this.#learn(said), () => {});
    return this.#asked;
  }

  /** Ask again next time: something has changed. */
  forget() {
    this.#asked = this.said = null;
  }

  /** Whether there is something that the person must see. */
  get isUrgent() {
    return Boolean(this.said && (this.said.requests.length || this.said.notices.length));
  }

  /** Remember all notices as shown; those of which the service tells no more are forgotten. */
  noticed() {
    saveNoticed(this.#shown);
  }

  /** Leave a request out that was answered. */
  answered(request) {
    this.said.requests = this.said.requests.filter(({ handle }) => handle !== request.handle);
  }

  async #learn(said) {
    const noticed = await savedNoticed();
    const isNew = ({ id, kind }) => !noticed.includes(id) && has(`notice_${kind}`);
    const notices = said.notices.filter(isNew);
    this.#shown = said.notices.map(({ id }) => id);
    this.said = { ...said, notices };
  }
}

/**
 * Show a screen with the news, if any; show it again when they arrive later.
 *
 * @param app
 * @param {(said: object|null, pick: (action: string) => void) => Promise<object>} screenOf makes
 *   the screen with what is known; `rest`: its parts after the news; `closes`: when to make it
 *   again.
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the chosen action.
 */
export async function showWithNews(app, screenOf, signal) {
  for (let next = await made(app, screenOf); ; ) {
    const chosen = await shown(app, next, screenOf, signal);
    if (typeof chosen === "string") return chosen;
    if (!chosen.parts) await answer(app, chosen, signal);
    next = chosen.parts ? chosen : await made(app, screenOf);
  }
}

/** Make a screen, with the news; `picked`: an action, or an answered request. */
async function made(app, screenOf) {
  let pick;
  const picked = new Promise((resolve) => (pick = resolve));
  const known = app.news.said;
  const screen = await screenOf(known, pick);
  const news = [...requestsOf(known, pick), othersOf(known, pick), ...noticesOf(known)];
  const parts = [...screen.parts, ...news.filter(Boolean), ...(screen.rest ?? [])];
  return { ...screen, parts, picked, known };
}

/**
 * Return the chosen action, an answered request: {request, isApproved}, or the next screen: until
 * that is made, this one can be used.
 */
async function shown(app, screen, screenOf, signal) {
  const { known, picked, closes } = screen;
  const ends = [known ? null : arrived(app, screen), closes].filter(Boolean);
  const left = show(screen, signal);
  if (known) tell(app.news, known);
  const later = ends.map((each) => each.then(() => made(app, screenOf)));
  const chosen = await Promise.race([left, picked, ...later]);
  if (typeof chosen === "string" && known) known.notices = [];
  return chosen;
}

/** Announce requests once, and remember the notices as shown. */
function tell(news, known) {
  if (known.requests.length && !known.isAnnounced) announce(t("title_request"));
  known.isAnnounced = true;
  if (known.notices.length) news.noticed();
}

/** Resolve when news arrive that change the screen. */
async function arrived(app, { trust }) {
  await app.news.ask();
  const { said } = app.news;
  const isChanged = said && (app.news.isUrgent || said.trust !== trust || said.trusted_in !== null);
  return isChanged || new Promise(() => {});
}

const noticesOf = (known) => (known?.notices ?? []).map(({ kind, at }) =>
  text(`notice_${kind}`, { date: day(at) }, { class: "notice", "data-notice": kind }));

const requestsOf = (known, pick) => (known?.requests ?? []).map((request, at) =>
  h("section", { class: "request", "aria-labelledby": `request-${at}` },
    h("h2", { id: `request-${at}` }, t("title_request")),
    h("p", {}, named(request.name)),
    text("request_asked", { when: dayAgo(request.asked_at) }),
    request.trusted_in !== null && text("request_due", { when: momentIn(request.trusted_in) }),
    text("request_warning", request, { class: "warning" }),
    answersTo(request, at, (isApproved) => pick({ request, isApproved }))));

/** Many requests are not looked at one by one. */
const othersOf = (known, pick) => Boolean(known?.more_requests) && h("section", {},
  text("requests_more", { count: known.more_requests }),
  button("refuse_all", () => pick({ request: null }), { class: "outlined" }));

/** Two buttons of equal weight: neither is filled. */
export const answersTo = ({ handle }, at, choose) => {
  const given = { class: "outlined", "data-handle": handle, "aria-describedby": `request-${at}` };
  return h("div", { class: "pair" }, button("approve_phone", () => choose(true), given),
    button("refuse_phone", () => choose(false), given));
};

/** Approve or refuse a request, and say what follows. */
async function answer(app, { request, isApproved }, signal) {
  const act = request ? (isApproved ? approve : refusePhone) : refuseAll;
  try {
    await forTrusted(app, () => act(app, request, signal), signal);
  } catch (fault) {
    if (!(fault instanceof Cancelled)) throw fault;
  }
}

async function approve(app, request, signal) {
  app.account.close();
  const act = (proof) => app.phone.approvePhone(request.handle, proof);
  await ended(app, request, () => app.account.use(act, signal), "phone_trusted", signal);
}

/** Refuse a new phone and say what that means. */
export async function refusePhone(app, phone, signal) {
  showBusy("opening");
  await ended(app, phone, () => app.phone.refusePhone(phone.handle), "phone_refused", signal);
}

async function refuseAll(app, _, signal) {
  showBusy("opening");
  await app.phone.refuseAll();
  app.news.forget();
  await app.news.ask();
  await show({ name: "phone_refused", parts: [text("phone_refused")], kind: "good",
    actions: ["continue"] }, signal);
}

async function ended(app, request, act, name, signal) {
  let screen = { name, parts: [text(name)], kind: "good" };
  try {
    const left = await act();
    if (!left) return;
    app.account.drop("phones", request);
    app.account.learn(left);
  } catch (fault) {
    if (fault.error !== "phone_gone") throw fault;
    screen = { name: fault.error };
  }
  if (app.news.said) app.news.answered(request);
  await show({ ...screen, actions: ["continue"] }, signal);
}
