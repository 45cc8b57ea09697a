/**
 * The page's start. For the owner of a trusted phone a home: what waits for an answer, what a palm
 * opens of the account, and settings.
 */

import { savedScreenLock, savedTrust } from "../service/device_key.js";
import { hasScreenLock } from "../service/passkey.js";
import { h } from "../view/dom.js";
import { story } from "../view/icons.js";
import { dayAgo, momentIn, named, text } from "../view/parts.js";
import { languageRow, row, rows } from "../view/rows.js";
import { quiet } from "../view/stage.js";
import { locale, t } from "../words/words.js";
import { showConnections } from "./connections.js";
import { deleteMe } from "./deletion.js";
import { setUp } from "./enrolment.js";
import { showWithNews } from "./news.js";
import { Cancelled } from "./palm.js";
import { showPhones } from "./phones.js";
import { choosePush, pushState } from "./push.js";
import { addScreenLock, removeScreenLock } from "./screen_lock.js";
import { forTrusted, renewCode, trustPhone } from "./trust.js";

/** Sign-ins that are shown at once. */
const SHOWN = 3;

const CHOICES = {
  set_up: setUp,
  trust_phone: trustPhone,
  cleared: (app, signal) => trustPhone(app, signal, "cleared"),
  sign_ins: (app, signal) => app.account.open(signal),
  my_apps: showConnections,
  my_phones: showPhones,
  screen_lock: addScreenLock,
  stop_screen_lock: removeScreenLock,
  recovery_code: renewCode,
  push: choosePush,
  delete_me: deleteMe,
};

/** Show the start until the page is left. */
export async function home(app, isBroken) {
  const { signal } = new AbortController();
  app.begin();
  const screenOf = (said, pick) => homeScreen(app, { said, pick, isBroken });
  const isBack = app.isCleared && (await savedTrust()) === "none";
  for (let next = isBack && "cleared"; ; next = null) {
    const chosen = next || (await showWithNews(app, screenOf, signal));
    try {
      const isDeleted = await forTrusted(app, () => CHOICES[chosen](app, signal), signal);
      if (isDeleted === true) location.reload(); // starts again with a new key
    } catch (fault) {
      if (!(fault instanceof Cancelled)) throw fault;
    }
    app.sendTemplates();
  }
}

/** Return the screen with what the service said of this phone; null: nothing yet. */
async function homeScreen(app, { said, pick, isBroken }) {
  const trust = await savedTrust();
  const screen = { name: "home", parts: [text(isBroken ? "home_broken" : "home_text")], trust };
  if (trust === "trusted") return { ...screen, ...(await ownParts(app, pick)) };
  screen.parts.unshift(story("scan", "show_palm", "good"));
  if (trust === "none") {
    screen.parts.push(text("home_first"));
    return { ...screen, actions: ["set_up", quiet("trust_phone")] };
  }
  screen.parts.push(...aboutNew(said?.trusted_in ?? null));
  return { ...screen, actions: ["trust_phone"] };
}

/** Return what is said on a new phone, which may have asked to be trusted. */
function aboutNew(trustedIn) {
  if (trustedIn === 0) return [text("home_new_ready")];
  const wait = () => text("trust_asked_wait", { when: momentIn(trustedIn) });
  return [text("home_new"), ...(trustedIn === null ? [] : [wait()])];
}

/** Return what is the owner's: of the account as much as is open, and the settings. */
async function ownParts(app, pick) {
  const { said, closes } = app.account;
  const count = (list) => said && new Intl.NumberFormat(locale).format(said[list].length);
  const rest = [
    ...(said ? signInsOf(said.sign_ins) : []),
    rows({ class: "account" },
      !said && row("sign_ins", pick, { label: "title_sign_ins" }),
      row("my_apps", pick, { state: count("connections") }),
      row("my_phones", pick, { state: count("phones") })),
    !said && text("account_palm", {}, { class: "hint" }),
    h("h2", {}, t("title_settings")),
    await settings(app, pick),
  ];
  return { title: t("title_account"), rest: rest.filter(Boolean), kind: "own", closes };
}

function signInsOf(signIns) {
  const title = h("h2", {}, t("title_sign_ins"));
  if (!signIns.length) return [title, text("sign_ins_none")];
  const all = signIns.map(signInOf);
  return [title, rows({ id: "sign-ins" }, ...all.slice(0, SHOWN)),
    all.length > SHOWN && h("details", {}, h("summary", {}, t("sign_ins_more")),
      rows({}, ...all.slice(SHOWN))),
    text("sign_ins_unknown", {}, { class: "hint" })];
}

function signInOf(signIn) {
  const phone = h("bdi", {}, signIn.is_this ? t("phone_this") : signIn.phone ?? t("phone_removed"));
  const by = signIn.at_station ? [t("sign_in_station")]
    : [phone, !signIn.with_trusted_phone && ` · ${t("sign_in_palm")}`];
  return h("li", { class: "entry" }, named(signIn.client_name), " ",
    h("bdi", { class: "host" }, signIn.client_host),
    h("span", {}, dayAgo(signIn.at), " · ", ...by.filter(Boolean)));
}

async function settings(app, pick) {
  const isLocked = Boolean((await savedScreenLock())?.credentialId);
  const isOn = (is) => t(is ? "setting_on" : "setting_off");
  const place = h("li", { hidden: true });
  pushState(app).then((is) => is !== null
    && place.replaceWith(row("push", pick, { state: isOn(is) })));
  return rows({ class: "settings" },
    (await hasScreenLock()) && row(isLocked ? "stop_screen_lock" : "screen_lock", pick,
      { label: "setting_screen_lock", state: isOn(isLocked) }),
    row("recovery_code", pick),
    place,
    languageRow(),
    row("delete_me", pick, { look: "removal" }));
}
