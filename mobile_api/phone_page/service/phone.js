/** Requests of a phone to the mobile API; messages as in mobile_api/messages.py. */

import { Refused } from "./client.js";
import {
  forgetDevice, isRegistered, savedScreenLock, saveEnrolled, saveRegistered, saveScreenLock,
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

  /** Claim the ticket of a QR code and return the login; register this phone if needed. */
  claim(ticket) {
    return this.#known(() => this.#client.post("/logins", { ticket }));
  }

  loginState(loginId) {
    return this.#client.get(`/logins/${loginId}`);
  }

  async answer(loginId, palm) {
    const kind = palm instanceof Uint8Array ? "template" : "palm";
    const answer = await this.#client.palm("PUT", `/logins/${loginId}/${kind}`, palm);
    if (answer.hint === "wait_approve") await saveEnrolled();
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
    await saveEnrolled();
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

  /** Create a passkey, which then authenticates this phone. */
  async addPasskey(wanted, name) {
    const made = await createPasskey(wanted, name);
    const { credential_id: credentialId } = await this.#client.post("/passkeys", made);
    await saveScreenLock({ rpId: wanted.rp_id, credentialId });
  }

  askPasskey() {
    return this.#known(() => this.#client.post("/passkeys/challenge"));
  }

  /** Authenticate this phone with a passkey; this binds it to the account. */
  async authenticate(wanted) {
    const used = await usePasskey(wanted);
    await this.#client.post("/passkeys/assertions", used);
    await saveEnrolled();
    await saveScreenLock({ rpId: wanted.rp_id, credentialId: used.credential_id });
  }

  /** Remove the passkey from the account and from this phone. */
  async removePasskey() {
    await this.#client.post("/passkeys/removal");
    await signalRemoval();
    await saveScreenLock("declined");
  }

  /** Delete this browser's key; after an account deletion its passkey, too. */
  async forget({ isDeleted = false } = {}) {
    if (isDeleted) await signalRemoval();
    await forgetDevice().catch(() => {});
  }

  /** Perform a request that requires registration; register first if needed. */
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
    await this.#client.post("/devices", { name: deviceName() });
    await saveRegistered();
  }
}

/** Tell the phone that its passkey for this browser is no longer valid. */
async function signalRemoval() {
  const { rpId, credentialId } = (await savedScreenLock()) ?? {};
  if (credentialId) await forgetPasskey(rpId, credentialId);
}

/** Return a recognisable name of this phone: its system as the browser reports it. */
function deviceName() {
  const system = navigator.userAgentData?.platform || navigator.platform || "Phone";
  return `${system} (browser)`.replace(/[\p{C}\u2028\u2029]/gu, "").slice(0, MAX_NAME);
}
