/** What a palm opens of the account for some minutes: its last sign-ins, apps and phones. */

import { showBusy } from "../view/stage.js";
import { Cancelled } from "./palm.js";
import { confirmed } from "./screen_lock.js";
import { withVerifiedPalm } from "./verification.js";

/** Errors of what is gone already. */
const GONE = ["connection_gone", "phone_gone"];

export class Account {
  #app;
  #said = null;
  #endsAt = 0;

  constructor(app) {
    this.#app = app;
  }

  /** What is open; null: nothing, or no more. */
  get said() {
    return Date.now() < this.#endsAt ? this.#said : null;
  }

  /** Resolves when what is open closes; null: nothing is open. */
  get closes() {
    return this.said && new Promise((end) => setTimeout(end, this.#endsAt - Date.now()));
  }

  /**
   * Return what is open, after a palm if nothing is; null: the person gave up.
   *
   * @throws {Cancelled} the person does not want to show a palm.
   */
  async open(signal) {
    if (!this.said) {
      const { phone } = this.#app;
      const open = async (palm) => {
        const proved = await phone.provePalm(palm);
        return { ...proved, ...(await phone.account(proved.palm_proof)) };
      };
      this.#said = await withVerifiedPalm(this.#app, open, signal);
      this.#endsAt = Date.now() + 1000 * (this.#said?.expires_in ?? 0);
    }
    return this.said;
  }

  /** Close it: what outlasts this phone, or its loss, takes a palm that is shown now. */
  close() {
    this.#endsAt = 0;
  }

  /**
   * Do what a palm proof and perhaps the screen lock allow; null: the person gave up.
   *
   * @param {(proof: string) => Promise<object>} act
   * @param {AbortSignal} signal
   * @param {string|null} [given] the proof of a palm that was just shown.
   */
  async use(act, signal, given = null) {
    for (let proof = given; ; proof = null) {
      proof ??= (await this.open(signal))?.palm_proof;
      if (!proof) return null;
      showBusy("opening");
      try {
        return await confirmed(this.#app, () => act(proof), signal);
      } catch (fault) {
        if (fault.error !== "palm_proof_expired") throw fault;
        this.close();
      }
    }
  }

  /** Change an item of a list, and learn what is left; return whether it was this that did it. */
  async change(list, item, act, signal) {
    try {
      const left = await this.use(act, signal);
      this.learn(left);
      return left !== null;
    } catch (fault) {
      if (fault instanceof Cancelled) return false;
      if (!GONE.includes(fault.error)) throw fault;
      this.drop(list, item);
      return false;
    }
  }

  /** Learn a list from another answer. */
  learn(lists) {
    if (this.#said) Object.assign(this.#said, lists);
  }

  /** Leave an item out of a list. */
  drop(list, { handle }) {
    this.learn({ [list]: this.#said?.[list].filter((each) => each.handle !== handle) });
  }
}
