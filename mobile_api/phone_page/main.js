/** The phone page: parses the link and handles its sign-in. */

import { Camera } from "./capture/camera.js";
import { PalmEngine } from "./capture/palm_engine.js";
import { Account } from "./flows/account.js";
import { home } from "./flows/home.js";
import { logIn, resume } from "./flows/login.js";
import { News } from "./flows/news.js";
import { beStation } from "./flows/station.js";
import { Client } from "./service/client.js";
import { deviceKey, newKey, savedStation, savedTrust } from "./service/device_key.js";
import { apiUrl, takeFragment } from "./service/link.js";
import { Phone } from "./service/phone.js";
import { h } from "./view/dom.js";
import { because, languageMenu, loading, modeLine, text } from "./view/parts.js";
import { show, showConnection } from "./view/stage.js";
import { chooseLanguage, has, t } from "./words/words.js";

/** State shared by the flows: the phone, the engine, and the mode explained to the person. */
class App {
  facing = "environment";
  /** Whether the browser deleted this phone's key. */
  isCleared = false;
  /** Reason of the mode that was explained last. */
  explainedWhy = null;
  #engine = null;
  #picturesFor = null;

  constructor(client, phone, assets) {
    this.client = client;
    this.phone = phone;
    this.news = new News(phone);
    this.account = new Account(this);
    this.assets = assets;
    this.camera = new Camera();
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
    this.sendPictures(trust === "new" ? "untrusted" : "unbound");
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
   * Return an element that explains what leaves the phone, once it is known. A person who goes on
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
  const { worker, files, pictures, keeper, ownPhones, challenges, wait } =
    document.documentElement.dataset;
  return {
    worker,
    keeper,
    files: files ? located(JSON.parse(files)) : null,
    wantsPictures: pictures !== undefined,
    ownPhonesOnly: ownPhones !== undefined,
    challenge: challenges !== undefined,
    waitHours: Number(wait),
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

async function start() {
  // First: without words the link stays in the address, for when the page is loaded again.
  await chooseLanguage();
  if (!AbortSignal.timeout) return show({ name: "too_old", parts: [text("too_old")], kind: "bad" });
  languageMenu(document.getElementById("language")).setAttribute("aria-label", t("language"));
  const root = document.documentElement;
  if (root.dataset.brand) root.style.setProperty("--brand", root.dataset.brand);
  const { link, broken } = takeFragment();
  const isEnrolling = location.pathname.endsWith("/station");
  const saved = await savedStation();
  const station = saved ?? (isEnrolling && (await newKey()));
  const client = new Client(apiUrl(), station || (await deviceKey()));
  client.onconnection = showConnection;
  const app = new App(client, new Phone(client, Boolean(station)), assetsOfPage());
  app.isCleared = await app.phone.isCleared();
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
