/**
 * The page's side of the worker: networks that load in the background, and what this phone can do.
 *
 * @typedef {{sends: "template"|"picture",
 *   why: "able"|"asked"|"slow"|"missing"|"refused"|"stranger"}} Mode what leaves the phone, and
 *   why: it can make templates; the operator wants pictures; it is too slow; its networks cannot
 *   be run here; this login took no template; or takes none of a phone that is nobody's yet.
 */

/** A phone that needs longer than this for one template sends pictures instead, milliseconds. */
export const SLOW_MS = 2500;

/** Without a connection, loading is tried again after so many milliseconds. */
const RETRY_MS = 2000;

export class PalmEngine {
  #worker = null;
  #waiting = new Map();
  #next = 0;

  /**
   * @param {{worker: string, keeper: string, files: object|null}} assets where the built files
   *   are; files is null where nothing was built.
   * @param {boolean} wantsPictures whether the operator refuses templates.
   */
  constructor(assets, wantsPictures) {
    this.onprogress = () => {};
    this.wantsPictures = wantsPictures;
    this.ready = this.#load(assets);
  }

  /** Whether frames can be looked at; known once `ready` is settled. */
  canLook = false;

  /** @returns {Promise<Mode>} */
  async #load(assets) {
    const isAble = assets.files && typeof WebAssembly !== "undefined";
    while (isAble) {
      try {
        return await this.#tried(assets);
      } catch (fault) {
        this.#worker?.terminate();
        // A lost connection says nothing about what this browser can do.
        if (!(await isAway(assets.keeper))) {
          console.warn("no networks:", fault.message);
          break;
        }
      }
    }
    return { sends: "picture", why: "missing" };
  }

  async #tried({ worker, files }) {
    this.#worker = new Worker(worker, { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.#fail(event);
    const { templateMs } = await this.#ask("load", { files, limitMs: SLOW_MS });
    this.canLook = templateMs <= SLOW_MS;
    if (!this.canLook) return { sends: "picture", why: "slow" };
    if (this.wantsPictures) return { sends: "picture", why: "asked" };
    return { sends: "template", why: "able" };
  }

  /** Say what a frame shows. The frame's memory moves away. */
  look(frame) {
    return this.#ask("look", { frame }, [frame.data]);
  }

  /** Make a template of a frame, whose memory moves away, or of the one looked at last. */
  extract(frame = null) {
    return this.#ask("extract", { frame }, frame ? [frame.data] : []);
  }

  /** Forget that frame, and the hand that was followed. */
  forget() {
    return this.#ask("forget", {});
  }

  #ask(task, given, moved = []) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.postMessage({ id, task, ...given }, moved);
    return answer;
  }

  #receive({ id, answer, fault, progress }) {
    if (progress !== undefined) return this.onprogress(progress);
    const { resolve, reject } = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (fault) reject(Object.assign(new Error(fault.message), { code: fault.code }));
    else resolve(answer);
  }

  #fail(event) {
    event.preventDefault();
    for (const { reject } of this.#waiting.values()) reject(new Error("the worker ended"));
    this.#waiting.clear();
  }
}

/** Whether the service cannot be reached; waits a while if so. */
async function isAway(address) {
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
