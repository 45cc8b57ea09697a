/**
 * HTTP client of the mobile API: signs requests, sends one at a time, retries while offline. The
 * counterpart of mobile_api/reference_phone/client.py.
 */

import { proofOf } from "./proof.js";

export const TEMPLATE_TYPE = "application/vnd.thenar.template";

export const FRAMES_TYPE = "application/vnd.thenar.frames";

const JSON_TYPE = "application/json";

/** Errors whose response has what the next proof needs: a nonce, the service's time. */
const RETRYABLE = new Set(["use_dpop_nonce", "clock_skew"]);

const PROOF_ATTEMPTS = 3;

/** Statuses of a service that is busy, or that a proxy does not reach: sent again after a wait. */
const PASSING = new Set([429, 502, 503, 504]);

/** How often a request waits for a busy service, and how long at most, seconds. */
const [WAITS, WAIT_S] = [8, 10];

const RETRY_MS = 2000;

/** Request timeout, milliseconds: mobile networks may stop answering. */
const TIMEOUT_MS = 30000;

/** How long the page's start waits for an answer. */
const START_MS = 3000;

/** An error response: {status, error, hint, reason, disputeCode, others, retryAfter} (seconds). */
export class Refused extends Error {
  constructor(status, said = {}, retryAfter = 0) {
    const { error = "unknown", hint = null, reason = null, others = [] } = said;
    super(error);
    const disputeCode = said.dispute_code ?? null;
    Object.assign(this, { status, error, hint, reason, disputeCode, others, retryAfter });
  }
}

export class Client {
  #key;
  #api;
  #nonce = null;
  #clockOffsetMs = 0;
  #queue = Promise.resolve();
  #isLost = false;

  /**
   * @param {string} api address, ending in /mobile/v1.
   * @param {CryptoKeyPair} key
   */
  constructor(api, key) {
    this.#api = api;
    this.#key = key;
    this.onconnection = () => {};
    this.onrefused = async () => {};
  }

  /** Ask once, without a proof; {}: no answer. It brings the first nonce, too. */
  async ask(path) {
    try {
      const answer = await fetch(this.#api + path, { signal: AbortSignal.timeout(START_MS) });
      this.#learn(answer);
      return await answer.json();
    } catch {
      return {};
    }
  }

  get(path) {
    return this.#enqueue("GET", path, null, null);
  }

  post(path, message) {
    return this.#enqueue("POST", path, message && encoded(message), message && JSON_TYPE);
  }

  put(path, message) {
    return this.#enqueue("PUT", path, encoded(message), JSON_TYPE);
  }

  /** Send the frames of a challenge's step. */
  frames(path, body) {
    return this.#enqueue("PUT", path, body, FRAMES_TYPE);
  }

  /**
   * Send a palm to its route below a path: a template, a picture or frames as a Blob with its
   * type, or {challenge} that was passed.
   *
   * @param {{picture: string, template?: string}} names of routes.
   */
  async palm(method, path, { picture, template = "/template" }, palm) {
    const send = (name, body, type) => this.#enqueue(method, path + name, body, type);
    if (palm.challenge) return send("/challenge", encoded(palm), JSON_TYPE);
    if (palm instanceof Uint8Array) return send(template, palm, TEMPLATE_TYPE);
    const name = palm.type === FRAMES_TYPE ? "/frames" : picture;
    return send(name, new Uint8Array(await palm.arrayBuffer()), palm.type);
  }

  /**
   * Pass on each message of an event stream until it ends. Beside the queue: opening it spends no
   * nonce.
   */
  async follow(path, onmessage, signal) {
    const headers = { DPoP: await this.#proof("GET", path, null) };
    const answer = await fetch(this.#api + path, { headers, signal });
    if (!answer.ok) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        if (event.startsWith("data: ")) onmessage(JSON.parse(event.slice(6)));
      }
    }
  }

  /** One at a time: a nonce is valid for one request. */
  #enqueue(...request) {
    const turn = this.#queue.then(() => this.#signed(...request));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #signed(method, path, body, type) {
    this.#isLost = false;
    if (!this.#nonce) await this.#send("GET", "/nonce", null, {});
    for (let [tries, waits] = [1, 0]; ; tries++) {
      const headers = type ? { "Content-Type": type } : {};
      headers.DPoP = await this.#proof(method, path, body);
      const { answer, said } = await this.#send(method, path, body, headers);
      if (answer.ok) return said;
      const isLast = tries === PROOF_ATTEMPTS || !RETRYABLE.has(said.error);
      if (!isLast) continue;
      // A proxy may write a date, which counts as none.
      const seconds = Number(answer.headers.get("Retry-After")) || 0;
      const refused = new Refused(answer.status, said, seconds);
      refused.isRepeated = this.#isLost;
      if (waits++ === WAITS || !isPassing(refused, type)) {
        await this.onrefused(refused);
        throw refused;
      }
      await online(1000 * seconds || RETRY_MS);
      tries = 0;
    }
  }

  #proof(method, path, body) {
    const at = (Date.now() + this.#clockOffsetMs) / 1000;
    const request = { method, url: this.#api + path, body: body ?? new Uint8Array(), at };
    return proofOf(this.#key, { ...request, nonce: this.#nonce ?? "" });
  }

  /**
   * Send, and read the answer; while offline, or if a good answer is cut off, wait and retry. The
   * nonce of a lost attempt is used up.
   */
  async #send(method, path, body, headers) {
    for (let isLost = false; ; isLost = true) {
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const answer = await fetch(this.#api + path, { method, body, headers, signal });
        const said = await saidBy(answer);
        if (isLost) this.onconnection(true);
        this.#learn(answer);
        return { answer, said };
      } catch {
        this.#isLost = true;
        this.onconnection(false);
        await online();
      }
    }
  }

  #learn(answer) {
    this.#nonce = answer.headers.get("DPoP-Nonce");
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (!Number.isNaN(date)) this.#clockOffsetMs = date - Date.now();
  }
}

const encoded = (message) => new TextEncoder().encode(JSON.stringify(message));

/** Return what an answer says; {} if that is nothing, or an error that cannot be read. */
function saidBy(answer) {
  if (answer.status === 204) return {};
  return answer.json().catch((fault) => {
    if (answer.ok) throw fault;
    return {};
  });
}

/** Whether to wait and send again: not where a screen says it, as of a palm for a busy service. */
function isPassing({ status, error, retryAfter }, type) {
  const isPalm = type && type !== JSON_TYPE;
  const isSaid = error === "too_many_attempts" || (isPalm && status === 503 && error !== "unknown");
  return PASSING.has(status) && retryAfter <= WAIT_S && !isSaid;
}

/** Wait until a retry is worthwhile. */
function online(ms = RETRY_MS) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", resolve, { once: true });
  });
}
