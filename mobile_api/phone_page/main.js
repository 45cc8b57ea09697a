/** The phone's page: reads the link, then follows the sign-in it belongs to. */

import { PalmEngine } from "./capture/palm_engine.js";
import { showConnections } from "./flows/connections.js";
import { deleteMe } from "./flows/deletion.js";
import { enrol } from "./flows/enrolment.js";
import { logIn, resume } from "./flows/login.js";
import { Cancelled } from "./flows/palm.js";
import { addScreenLock, removeScreenLock, returned } from "./flows/screen_lock.js";
import { Client } from "./service/client.js";
import { deviceKey, isEnrolled, keptScreenLock } from "./service/device_key.js";
import { apiUrl, takeFragment } from "./service/link.js";
import { hasScreenLock } from "./service/passkey.js";
import { Phone } from "./service/phone.js";
import { h } from "./view/dom.js";
import { modeLine, text } from "./view/parts.js";
import { show, showConnection } from "./view/stage.js";
import { chooseLanguage, t } from "./words/words.js";

/** What flows need: the phone, the engine, and what was said about what leaves the phone. */
class App {
  facing = "environment";
  /** The reason of the mode that a person was told of last. */
  saidWhy = null;
  #engine = null;
  #picturesFor = null;

  constructor(phone, assets) {
    this.phone = phone;
    this.assets = assets;
  }

  /** Start loading the networks: after the ticket was claimed, which must not wait for them. */
  begin() {
    if (this.#engine) return;
    this.#engine = new PalmEngine(this.assets, this.assets.wantsPictures);
    // Not before: it would fetch the networks a second time.
    this.#engine.ready.then(() => keepOffline(this.assets));
  }

  get engine() {
    this.begin();
    return this.#engine;
  }

  /**
   * Send pictures although this phone could make templates.
   *
   * @param {"asked"|"refused"|"stranger"} why asked: as long as the page is open; else for one
   *   login.
   */
  sendPictures(why) {
    this.#picturesFor = why;
  }

  /** What one login wanted binds nothing that comes after it. */
  sendTemplates() {
    if (this.#picturesFor !== "asked") this.#picturesFor = null;
  }

  /** @returns {Promise<import("./capture/palm_engine.js").Mode>} what leaves the phone now. */
  async mode() {
    const mode = await this.engine.ready;
    if (mode.sends === "picture" || !this.#picturesFor) return mode;
    return { sends: "picture", why: this.#picturesFor };
  }

  /** Say what leaves the phone, as soon as it is known. */
  modeNote() {
    const place = h("div", {}, h("p", { class: "mode" }, t("mode_preparing")));
    this.mode().then((mode) => {
      place.replaceChildren(modeLine(mode));
      if (place.isConnected) this.saidWhy = mode.why;
    });
    return place;
  }
}

/** What the service wrote into the page: where the built files are, what it wants. */
function assetsOfPage() {
  const { worker, files, pictures, keeper, ownPhones } = document.documentElement.dataset;
  return {
    worker,
    keeper,
    files: files ? located(JSON.parse(files)) : null,
    wantsPictures: pictures !== undefined,
    ownPhonesOnly: ownPhones !== undefined,
  };
}

/** Turn addresses that are relative to the page into whole ones: the worker lies elsewhere. */
function located({ wasm, extractor, networks }) {
  const whole = (address) => new URL(address, location.href).href;
  const files = Object.entries(networks).map(([name, { url, sha256 }]) =>
    [name, { url: whole(url), sha256 }]);
  return { wasm: whole(wasm), extractor, networks: Object.fromEntries(files) };
}

/** Let a service worker keep the page's files for the next visit. */
function keepOffline({ keeper }) {
  if (keeper) navigator.serviceWorker?.register(keeper, { scope: "m" }).catch(() => {});
}

/** What may be done without a sign-in. */
const CHOICES = {
  set_up: enrol,
  come_back: returned,
  my_apps: showConnections,
  screen_lock: addScreenLock,
  stop_screen_lock: removeScreenLock,
  delete_me: deleteMe,
};

async function choicesOf(isKnown) {
  const isLockable = await hasScreenLock();
  if (!isKnown) return ["set_up", ...(isLockable ? ["come_back"] : [])];
  const isLocked = Boolean((await keptScreenLock())?.credentialId);
  const lock = isLocked ? "stop_screen_lock" : "screen_lock";
  const choices = [...(isLockable ? [lock] : []), "delete_me"];
  return ["my_apps", ...choices.map((key) => ({ key, look: "quiet" }))];
}

async function home(app, isBroken) {
  for (;;) {
    const isKnown = await isEnrolled();
    const parts = [text(isBroken ? "home_broken" : "home_text")];
    if (!isKnown) parts.push(text("home_set_up"));
    const chosen = await show({ name: "home", parts, actions: await choicesOf(isKnown) });
    try {
      // A deleted phone begins anew, with another key.
      if (await CHOICES[chosen](app, new AbortController().signal) === true) location.reload();
    } catch (fault) {
      if (!(fault instanceof Cancelled)) throw fault;
    }
  }
}

async function start() {
  const { link, broken } = takeFragment();
  await chooseLanguage();
  const client = new Client(apiUrl(), await deviceKey());
  client.onconnection = showConnection;
  const app = new App(new Phone(client), assetsOfPage());
  try {
    if (link) await logIn(app, link);
    else if (!broken) await resume(app);
    await home(app, broken);
  } catch (fault) {
    console.warn(fault.name, fault.error ?? "");
    await show({ name: "end_trouble", parts: [text("end_trouble")], actions: ["reload"],
      kind: "bad" });
    location.reload();
  }
}

addEventListener("hashchange", () => location.reload());
start();
