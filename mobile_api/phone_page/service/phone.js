/** What a phone says to the service, in the service's own words: mobile_api/messages.py. */

import { Refused } from "./client.js";
import {
  forgetDevice, isRegistered, keptScreenLock, noteEnrolled, noteRegistered, noteScreenLock,
} from "./device_key.js";
import { createPasskey, forgetPasskey, usePasskey } from "./passkey.js";

const MAX_NAME = 64;

export class Phone {
  #client;

  /** @param {import("./client.js").Client} client */
  constructor(client) {
    this.#client = client;
  }

  consent() {
    return this.#client.get("/consent");
  }

  /** Claim the ticket of a QR code and learn who asks; introduce this phone if need be. */
  claim(ticket) {
    return this.#known(() => this.#client.post("/logins", { ticket }));
  }

  look(loginId) {
    return this.#client.get(`/logins/${loginId}`);
  }

  async answer(loginId, palm) {
    const kind = palm instanceof Uint8Array ? "template" : "palm";
    const answer = await this.#client.palm("PUT", `/logins/${loginId}/${kind}`, palm);
    if (answer.hint === "wait_approve") await noteEnrolled();
    return answer;
  }

  approve(loginId) {
    return this.#client.post(`/logins/${loginId}/approve`);
  }

  decline(loginId) {
    return this.#client.post(`/logins/${loginId}/decline`);
  }

  report(loginId) {
    return this.#client.post(`/logins/${loginId}/report`);
  }

  openEnrolment({ version, sha256 }) {
    const message = { consent_version: version, consent_sha256: sha256 };
    return this.#known(() => this.#client.post("/enrolments", message));
  }

  addSample(enrolmentId, palm) {
    const kind = palm instanceof Uint8Array ? "templates" : "samples";
    return this.#client.palm("POST", `/enrolments/${enrolmentId}/${kind}`, palm);
  }

  async finishEnrolment(enrolmentId) {
    const answer = await this.#client.post(`/enrolments/${enrolmentId}/finish`);
    await noteEnrolled();
    return answer;
  }

  connections(palm) {
    return this.#client.palm("POST", "/connections", palm);
  }

  withdraw(handle, palmProof) {
    return this.#client.post(`/connections/${handle}/withdraw`, { palm_proof: palmProof });
  }

  deleteAccount(palm) {
    return this.#client.palm("POST", "/account/deletion", palm);
  }

  deletionCode(palm) {
    return this.#client.palm("POST", "/account/deletion-code", palm);
  }

  provePalm(palm) {
    return this.#client.palm("POST", "/palm-proofs", palm);
  }

  askToCreatePasskey(palmProof) {
    return this.#client.post("/passkeys/creation", { palm_proof: palmProof });
  }

  /** Make a passkey; from now on it vouches for this phone. */
  async addPasskey(wanted, name) {
    const made = await createPasskey(wanted, name);
    const { credential_id: credentialId } = await this.#client.post("/passkeys", made);
    await noteScreenLock({ rpId: wanted.rp_id, credentialId });
  }

  askPasskey() {
    return this.#known(() => this.#client.post("/passkeys/challenge"));
  }

  /** Let a passkey vouch for this phone; it is its person's from then on. */
  async vouch(wanted) {
    const used = await usePasskey(wanted);
    await this.#client.post("/passkeys/assertions", used);
    await noteEnrolled();
    await noteScreenLock({ rpId: wanted.rp_id, credentialId: used.credential_id });
  }

  /** Let no passkey vouch for this phone, and the phone forget the one that did. */
  async removePasskey() {
    await this.#client.post("/passkeys/removal");
    await tellGone();
    await noteScreenLock("declined");
  }

  /** Forget this browser's key; if the account is gone, its passkey, too. */
  async forget({ isDeleted = false } = {}) {
    if (isDeleted) await tellGone();
    await forgetDevice().catch(() => {});
  }

  /** Do something that only a registered phone may; register first if it is not. */
  async #known(act) {
    if (!(await isRegistered())) await this.#register();
    try {
      return await act();
    } catch (fault) {
      if (!(fault instanceof Refused) || fault.error !== "device_unknown") throw fault;
      await this.#register();
      return act();
    }
  }

  async #register() {
    await this.#client.post("/devices", { name: nameOfThis() });
    await noteRegistered();
  }
}

/** Tell the phone that the passkey it holds for this browser is good for nothing. */
async function tellGone() {
  const { rpId, credentialId } = (await keptScreenLock()) ?? {};
  if (credentialId) await forgetPasskey(rpId, credentialId);
}

/** A name a person recognises in a list: the system, as the browser tells it. */
function nameOfThis() {
  const system = navigator.userAgentData?.platform || navigator.platform || "Phone";
  return `${system} (browser)`.replace(/[\p{C}\u2028\u2029]/gu, "").slice(0, MAX_NAME);
}
