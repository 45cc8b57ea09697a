/**
 * The page's interface to the worker: loads the networks and finds out what this phone can do.
 *
 * @typedef {{sends: "template"|"picture",
 *   why: "able"|"asked"|"unable"|"refused"|"unbound"|"untrusted"|"challenge"|"station"}} Mode what
 *   leaves the phone and why.
 *   able: it computes templates; asked: the operator requires pictures; unable: it is too slow, the
 *   networks do not run, fail later, or are not waited for; refused: this login refused the
 *   template; unbound: the phone is not bound to an account yet; untrusted: it is a new one;
 *   challenge: the service asks for a moving hand.
 */

/** A phone that takes longer than this for a template sends pictures, milliseconds. */
export const SLOW_MS = 2500;

/** Retry interval of loading while offline, milliseconds. */
const RETRY_MS = 2000;

/** Networks that do not answer for so long have failed, milliseconds. */
const SILENT_MS = 60000;

const UNABLE = { sends: "picture", why: "unable" };

/** The networks ran and do no more, for want of memory perhaps: pictures are sent from now on. */
export class EngineFault extends Error {}

export class PalmEngine {
  #worker = null;
  #waiting = new Map();
  #next = 0;

  /**
   * @param {{worker: string, keeper: string, files: object|null}} assets addresses of built files;
   *   files is null if nothing was built.
   */
  constructor(assets) {
    this.onprogress = () => {};
    const files = assets.files ? [assets.files.wasm, ...Object.values(assets.files.networks)] : [];
    this.size = files.reduce((sum, { packed }) => sum + packed, 0);
    this.ready = this.#load(assets).then((mode) => (this.mode = mode));
  }

  /** Octets that have come, of `size`, as sent. */
  loaded = 0;

  /** @type {Mode|null} what this phone can do; null while it loads. */
  mode = null;

  /** Whether frames can be inspected; known once `ready` is settled. */
  canInspect = false;

  /** @returns {Promise<Mode>} */
  async #load(assets) {
    const isAble = assets.files && typeof WebAssembly !== "undefined";
    while (isAble) {
      try {
        return await this.#tried(assets);
      } catch (fault) {
        this.#worker?.terminate();
        // Being offline says nothing about the browser.
        if (!(await isOffline(assets.keeper))) {
          console.warn("no networks:", fault.message);
          break;
        }
      }
    }
    return UNABLE;
  }

  async #tried({ worker, files }) {
    this.loaded = 0;
    this.#worker = new Worker(worker, { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.#fail(event);
    const { templateMs } = await this.#ask("load", { files, limitMs: SLOW_MS });
    this.canInspect = templateMs <= SLOW_MS;
    if (!this.canInspect) return UNABLE;
    return { sends: "template", why: "able" };
  }

  /** Return what a frame shows; of a moving hand no quality. Transfers the frame's memory. */
  inspect(frame, isMoving = false) {
    return this.#use("inspect", { frame, isMoving }, [frame.data]);
  }

  /** Make a template of a frame (its memory is transferred) or of the last inspected one. */
  extract(frame = null) {
    return this.#use("extract", { frame }, frame ? [frame.data] : []);
  }

  /** Discard that frame and the tracked hand. */
  forget() {
    return this.#use("forget", {});
  }

  /** Ask the networks that were loaded; after a fault that is none of the picture, never again. */
  async #use(task, given, moved) {
    const silent = setTimeout(() => this.#fail(), SILENT_MS);
    try {
      return await this.#ask(task, given, moved);
    } catch (fault) {
      if (fault.code) throw fault;
      console.warn(fault.message);
      this.#worker.terminate();
      this.#fail();
      [this.canInspect, this.mode] = [false, UNABLE];
      throw new EngineFault();
    } finally {
      clearTimeout(silent);
    }
  }

  #ask(task, given, moved = []) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.postMessage({ id, task, ...given }, moved);
    return answer;
  }

  #receive({ id, answer, fault, progress }) {
    if (progress !== undefined) return this.onprogress((this.loaded += progress));
    const { resolve, reject } = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (fault) reject(Object.assign(new Error(fault.message), { code: fault.code }));
    else resolve(answer);
  }

  #fail(event) {
    event?.preventDefault();
    for (const { reject } of this.#waiting.values()) reject(new Error("the worker ended"));
    this.#waiting.clear();
  }
}

/** Whether the service is unreachable; waits a while if so. */
async function isOffline(address) {
  try {
    await fetch(address, { cache: "no-store" });
    return false;
  } catch {
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
      addEventListener("online", resolve, { once: true });
    });
    return true;
  }
}
