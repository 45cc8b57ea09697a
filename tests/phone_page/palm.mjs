// Plays a person, a camera, a worker and a browser before the page's own flows: each of them fails.

import { surprising } from "./surprising.mjs";

/** So much of an element as the screens use. */
class Element {
  dataset = {};
  style = { setProperty() {} };
  classList = { toggle() {} };
  children = [];
  given = {};
  listeners = {};
  isConnected = true;
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  toggleAttribute() {}
  setAttribute(name, value) { this.given[name] = value; }
  addEventListener(name, listener) { this.listeners[name] = listener; }
  querySelectorAll() { return []; }
  focus() {}
  remove() {}
}

const [places, listeners, moves] = [{}, {}, []];
const document = {
  createElement: () => new Element(), createElementNS: () => new Element(),
  hidden: false, getElementById: (id) => (places[id] ??= new Element()),
  documentElement: new Element(), addEventListener() {}, removeEventListener() {},
};

/** Be the browser: other plays of this process are others. */
function browse() {
  const own = { document, navigator: {}, location: { hash: "" },
    history: { state: null, back: () => moves.push("back"), pushState: () => moves.push("push") },
    addEventListener: (name, act) => (listeners[name] = act),
    matchMedia: () => ({ matches: true }), scrollTo() {} };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

browse();

const page = new URL("../../mobile_api/phone_page/", import.meta.url);
const { PalmEngine } = await import(new URL("capture/palm_engine.js", page));
const { FRAMES_TYPE, Refused } = await import(new URL("service/client.js", page));
const { presentPalm } = await import(new URL("flows/palm.js", page));
const { LoginOver, clearLogin, saveLogin, savedLogin } =
  await import(new URL("flows/login_end.js", page));
const { showRecoveryCode } = await import(new URL("flows/trust.js", page));
const { popstate } = listeners;
await (await import(new URL("words/words.js", page))).chooseLanguage(["en"]);

const REFUSED = new Refused(422, { error: "palm_not_found" });

/** Find the button of an action below an element. */
function buttonOf(action, element = places.stage) {
  if (element.given?.["data-action"] === action) return element;
  return element.children?.map((each) => buttonOf(action, each)).find(Boolean);
}

const press = (action) => buttonOf(action)?.listeners.click();

/** Let promises go on. */
async function settled() {
  for (let left = 9; left > 0; left--) await new Promise(setImmediate);
}

/** Return an app whose worker loads, and then answers each task as a test says, or never. */
async function appWith(answerTo) {
  const done = { load: { answer: { templateMs: 1 } }, forget: { answer: null } };
  globalThis.Worker = class {
    terminate() {}
    postMessage({ id, task }) {
      const answer = answerTo(task) || done[task];
      if (!answer.never) queueMicrotask(() => this.onmessage({ data: { id, ...answer } }));
    }
  };
  const engine = new PalmEngine({ worker: "worker.js", keeper: "", files: { wasm: {}, networks: {} } });
  await engine.ready;
  const camera = { opened: 0, open: async () => Boolean((camera.opened += 1)), stop() {},
    frame: () => ({ data: new ArrayBuffer(4), width: 2, height: 1 }), still: () => new Element(),
    picture: async () => new Blob(["a picture"], { type: "image/jpeg" }) };
  return { engine, camera, facing: "user", explainedWhy: "able",
    get known() { return engine.mode; }, mode: async () => engine.mode,
    modeNote() { this.explainedWhy = engine.mode.why; return new Element(); } };
}

/** Show a palm; return what came of it: the answer or the fault's name, and the app. */
function shown(app, over, send = async (palm) => palm.type) {
  return presentPalm(app, { name: "capture" }, send, over.signal)
    .catch((fault) => fault?.constructor.name);
}

const BROKEN = (task) => task === "inspect" && { fault: { code: null, message: "Out of memory" } };

/** The networks want more memory than there is: the person reads that pictures are sent. */
async function broken() {
  const app = await appWith(BROKEN);
  const came = shown(app, new AbortController());
  await settled();
  const { screen } = places.stage.dataset;
  press("start_camera");
  return [screen, app.engine.mode.why, app.engine.canInspect, await came];
}

/** Return what a play gives where each pause is short, but for those that `pass` ends. */
async function paused(play) {
  const { setTimeout, clearTimeout } = globalThis;
  const long = new Set();
  globalThis.setTimeout = (act, ms) => (ms < 9000 ? setTimeout(act, 0) : long.add(act) && act);
  globalThis.clearTimeout = (timer) => (long.delete(timer) ? null : clearTimeout(timer));
  try {
    return await play(() => long.forEach((act) => act()));
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
}

/** The worker never answers: Cancel and the end of a login end the wait, and pictures follow. */
async function silent(pass) {
  const silentTasks = ["inspect"];
  const app = await appWith((task) => silentTasks.includes(task) && { never: true });
  const over = new AbortController();
  const cancelled = shown(app, over);
  await settled();
  silentTasks.push("forget");
  press("cancel");
  const ends = [await cancelled];
  const ended = shown(app, over);
  await settled();
  over.abort(new LoginOver("cancelled"));
  ends.push(await ended, places.stage.dataset.screen);
  const fallen = shown(app, new AbortController());
  await settled();
  pass();
  await settled();
  ends.push(places.stage.dataset.screen);
  press("start_camera");
  return [...ends, await fallen];
}

/** The login ends while a palm is sent, which is refused: the camera stays off. */
async function late() {
  const app = await appWith(BROKEN);
  const over = new AbortController();
  app.engine.canInspect = false;
  const came = await shown(app, over, async () => {
    over.abort(new LoginOver("expired"));
    throw REFUSED;
  });
  return [came, app.camera.opened];
}

/** The browser blocks site data: a sign-in is not kept, and goes on. */
function blocked() {
  const get = () => { throw new DOMException("", "SecurityError"); };
  Object.defineProperty(globalThis, "sessionStorage", { get, configurable: true });
  saveLogin({ asked_ago: 1 });
  clearLogin();
  return savedLogin();
}

/** Back does not leave a code that cannot be shown again. */
async function back() {
  moves.length = 0;
  showRecoveryCode("AAAA-BBBB");
  popstate();
  return [...moves];
}

const CASES = [
  ["a worker that is silent", silent,
    ["Cancelled", "LoginOver", "capture", "ready", FRAMES_TYPE]],
  ["a palm for a login that is over", late, ["LoginOver", 1]],
  ["site data that are blocked", async () => blocked(), null],
  ["Back before a code is kept", back, ["push", "push"]],
  ["networks that fail", broken, ["ready", "unable", false, FRAMES_TYPE]],
];

/** Return the cases that went another way, and how. */
export function surprises() {
  browse();
  return surprising(CASES.map(([name, play, wanted]) => [name, () => paused(play), wanted]));
}
