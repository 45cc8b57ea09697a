/** The phone page: parses the link and handles its sign-in. */

import { PalmEngine } from "./capture/palm_engine.js";
import { showConnections } from "./flows/connections.js";
import { deleteMe } from "./flows/deletion.js";
import { setUp } from "./flows/enrolment.js";
import { logIn, resume } from "./flows/login.js";
import { News, showWithNews } from "./flows/news.js";
import { Cancelled } from "./flows/palm.js";
import { showPhones } from "./flows/phones.js";
import { addScreenLock, removeScreenLock } from "./flows/screen_lock.js";
import { beStation } from "./flows/station.js";
import { forTrusted, trustPhone } from "./flows/trust.js";
import { Client } from "./service/client.js";
import { deviceKey, newKey, savedScreenLock, savedStation, savedTrust } from "./service/device_key.js";
import { apiUrl, takeFragment } from "./service/link.js";
import { hasScreenLock } from "./service/passkey.js";
import { Phone } from "./service/phone.js";
import { h } from "./view/dom.js";
import { because, loading, modeLine, momentIn, text } from "./view/parts.js";
import { quiet, show, showConnection } from "./view/stage.js";
import { chooseLanguage, has, keepLanguage, languages, t } from "./words/words.js";

/** State shared by the flows: the phone, the engine, and the mode explained to the person. */
class App {
  facing = "environment";
  /** Reason of the mode that was explained last. */
  explainedWhy = null;
  #engine = null;
  #picturesFor = null;

  constructor(phone, assets) {
    this.phone = phone;
    this.news = new News(phone);
    this.assets = assets;
  }

  /** Load the networks. Called after the ticket is claimed, which must not wait for them. */
  begin() {
    if (this.#engine) return;
    this.#engine = new PalmEngine(this.assets);
    // Earlier, the service worker would fetch the networks a second time.
    this.#engine.ready.then(() => installServiceWorker(this.assets));
  }

  get engine() {
    this.begin();
    return this.#engine;
  }

  /**
   * Send pictures although this phone can compute templates.
   *
   * @param {import("./capture/palm_engine.js").Mode["why"]} why asked: until the page is closed; else
   *   until the login or action ends.
   */
  sendPictures(why) {
    this.#picturesFor = why;
  }

  /**
   * Send pictures where the service accepts templates of trusted phones only, or a challenge where
   * its answer to this login or action says so.
   */
  async picturesUnlessTrusted(said) {
    if (said?.challenge) return this.sendPictures("challenge");
    const trust = await savedTrust();
    if (trust === "trusted" || !this.assets.ownPhonesOnly) return;
    this.sendPictures(trust === "new" ? "untrusted" : "stranger");
  }

  /** Send templates again after a login or action that needed pictures. */
  sendTemplates() {
    if (this.#picturesFor !== "asked") this.#picturesFor = null;
  }

  /** What leaves the phone now; null: it must load its networks first. Pictures need none. */
  get known() {
    const isAsked = this.assets.wantsPictures && this.#picturesFor !== "challenge";
    const why = isAsked ? "asked" : this.#picturesFor;
    return why ? { sends: "picture", why } : this.engine.mode;
  }

  /** @returns {Promise<import("./capture/palm_engine.js").Mode>} what leaves the phone now. */
  async mode() {
    if (!this.known) await this.engine.ready;
    return this.known;
  }

  /**
   * Return an element that explains what leaves the phone, once it is known. Whoever goes on
   * before needs no other explanation if it turns out that no picture does.
   */
  modeNote() {
    const place = h("div", {}, loading(this.engine));
    this.explainedWhy = "able";
    this.mode().then((mode) => {
      place.replaceChildren(modeLine(mode));
      if (place.isConnected) this.explainedWhy = mode.why;
    });
    return place;
  }
}

/** Return what the service wrote into the page: built files and options. */
function assetsOfPage() {
  const { worker, files, pictures, keeper, ownPhones, challenges } =
    document.documentElement.dataset;
  return {
    worker,
    keeper,
    files: files ? located(JSON.parse(files)) : null,
    wantsPictures: pictures !== undefined,
    ownPhonesOnly: ownPhones !== undefined,
    challenge: challenges !== undefined,
  };
}

/** Make addresses absolute: the worker is in another folder. */
function located({ wasm, extractor, networks }) {
  const whole = (file) => ({ ...file, url: new URL(file.url, location.href).href });
  const files = Object.entries(networks).map(([name, file]) => [name, whole(file)]);
  return { wasm: whole(wasm), extractor, networks: Object.fromEntries(files) };
}

/** Install the service worker that caches the page's files. */
function installServiceWorker({ keeper }) {
  if (keeper) navigator.serviceWorker?.register(keeper, { scope: "m" }).catch(() => {});
}

/** Actions of the home screen. */
const CHOICES = {
  set_up: setUp,
  trust_phone: trustPhone,
  my_apps: showConnections,
  my_phones: showPhones,
  screen_lock: addScreenLock,
  stop_screen_lock: removeScreenLock,
  delete_me: deleteMe,
};

async function choicesOf(trust) {
  if (trust === "none") return ["set_up", quiet("trust_phone")];
  if (trust === "new") return ["trust_phone"];
  const isLocked = Boolean((await savedScreenLock())?.credentialId);
  const lock = isLocked ? "stop_screen_lock" : "screen_lock";
  return ["my_apps", "my_phones", ...((await hasScreenLock()) ? [quiet(lock)] : []),
    { key: "delete_me", look: "quiet removal" }];
}

async function home(app, isBroken) {
  const { signal } = new AbortController();
  app.begin();
  for (;;) {
    const chosen = await showWithNews(app, (said) => homeScreen(said, isBroken), signal);
    try {
      const isDeleted = await forTrusted(app, () => CHOICES[chosen](app, signal), signal);
      if (isDeleted === true) location.reload(); // starts again with a new key
    } catch (fault) {
      if (!(fault instanceof Cancelled)) throw fault;
    }
    app.sendTemplates();
  }
}

/** Return the home screen with what the service said of this phone; null: nothing yet. */
async function homeScreen(said, isBroken) {
  const trust = await savedTrust();
  const parts = [text(isBroken ? "home_broken" : "home_text")];
  if (trust === "new") parts.push(...aboutNew(said?.trusted_in ?? null));
  return { name: "home", parts, actions: await choicesOf(trust), trust };
}

/** Return what is said on a new phone, which may have asked to be trusted. */
function aboutNew(trustedIn) {
  if (trustedIn === 0) return [text("home_new_ready")];
  const wait = () => text("trust_asked_wait", { when: momentIn(trustedIn) });
  return [text("home_new"), ...(trustedIn === null ? [] : [wait()])];
}

/** Fill the menu with each language's own name. */
function offerLanguages(menu) {
  const nameOf = (tag) => new Intl.DisplayNames(tag, { type: "language" }).of(tag);
  menu.setAttribute("aria-label", t("language"));
  menu.replaceChildren(
    ...languages().map((tag) => h("option", { value: tag, lang: tag }, nameOf(tag))));
  menu.value = document.documentElement.lang;
  menu.addEventListener("change", () => keepLanguage(menu.value));
}

async function start() {
  // First: without words the link stays in the address, for when the page is loaded again.
  await chooseLanguage();
  offerLanguages(document.getElementById("language"));
  const root = document.documentElement;
  if (root.dataset.brand) root.style.setProperty("--brand", root.dataset.brand);
  const { link, broken } = takeFragment();
  const isEnrolling = location.pathname.endsWith("/station");
  const saved = await savedStation();
  const station = saved ?? (isEnrolling && (await newKey()));
  const client = new Client(apiUrl(), station || (await deviceKey()));
  client.onconnection = showConnection;
  const app = new App(new Phone(client, Boolean(station)), assetsOfPage());
  try {
    if (station) return await beStation(app, station, { link, isEnrolling, isSaved: Boolean(saved) });
    if (link) await logIn(app, link);
    else if (!broken) await resume(app);
    await home(app, broken);
  } catch (fault) {
    console.warn(fault.name, fault.error ?? "");
    const name = has(`title_end_${fault.error}`) ? `end_${fault.error}` : "end_trouble";
    await show({ name, parts: [because(name, fault)], actions: ["try_again"], kind: "bad" });
    location.reload();
  }
}

addEventListener("hashchange", () => location.reload());
start();
