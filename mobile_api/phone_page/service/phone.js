/** Requests of a phone to the mobile API; messages as in mobile_api/messages.py. */

import { Refused } from "./client.js";
import {
  forgetDevice, isRegistered, keptTrust, savedScreenLock, savedTrust, saveRegistered, saveScreenLock,
  saveTrust,
} from "./device_key.js";
import { createPasskey, forgetPasskey, usePasskey } from "./passkey.js";

const MAX_NAME = 64;

/** What browsers call themselves that name no brands: all of an iPhone, Firefox, Safari. */
const BROWSERS = [
  ["CriOS/", "Chrome"], ["FxiOS/", "Firefox"], ["EdgiOS/", "Edge"], ["DuckDuckGo/", "DuckDuckGo"],
  ["OPT/", "Opera"], ["Firefox/", "Firefox"], ["Safari/", "Safari"],
];

/** What an error says about this phone's trust. */
const TRUST_AFTER = { device_unknown: "none", device_unbound: "none", phone_not_trusted: "new" };

export class Phone {
  #client;
  #isStation;

  /**
   * @param {import("./client.js").Client} client
   * @param {boolean} isStation a station: never registered as a phone, nor linked to an account.
   */
  constructor(client, isStation = false) {
    this.#client = client;
    this.#isStation = isStation;
    if (isStation) return;
    client.onrefused = async ({ error }) => {
      if (TRUST_AFTER[error]) await saveTrust(TRUST_AFTER[error]);
    };
  }

  /** Whether this browser deleted its key, by which an account trusted this phone. */
  async isCleared() {
    const isMissing = !this.#isStation && (await keptTrust()) === undefined;
    return isMissing && (await this.#client.ask("/earlier-key")).known === true;
  }

  /** Return the consent text in a language, or in English. */
  consent(language) {
    return this.#client.get(`/consent?language=${language}`);
  }

  /** Claim the ticket of a QR code and return the login; register this phone if needed. */
  claim(ticket) {
    return this.#known(() => this.#client.post("/logins", { ticket }));
  }

  loginState(loginId) {
    return this.#client.get(`/logins/${loginId}`);
  }

  /** Pass on the login's states as they change, until the stream ends or breaks. */
  followLogin(loginId, onstate, signal) {
    return this.#client.follow(`/logins/${loginId}/events`, onstate, signal);
  }

  async answer(loginId, palm) {
    const names = { picture: "/palm" };
    const answer = await this.#client.palm("PUT", `/logins/${loginId}`, names, palm);
    if (this.#isStation) return answer;
    // A palm that is recognised links a phone without one to the account.
    const isKnown = answer.hint === "wait_approve" || answer.palm_proof;
    if (isKnown && (await savedTrust()) === "none") await saveTrust("new");
    return answer;
  }

  /** Answer with the palm that was shown before the account trusted this phone. */
  answerProved(loginId, palmProof) {
    return this.#client.put(`/logins/${loginId}/palm-proof`, { palm_proof: palmProof });
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

  /** Ask for a challenge; the answer has its first step. */
  askChallenge(wanted) {
    return this.#known(() => this.#client.post("/challenges", wanted));
  }

  /** Answer a step of a challenge; the answer has the next one, if there is one. */
  answerStep(challengeId, number, frames) {
    return this.#client.frames(`/challenges/${challengeId}/steps/${number}`, frames);
  }

  /** Make this browser the station of a code, and return its name. */
  enrolStation(code) {
    return this.#client.post("/stations", { code });
  }

  /** Return this station's name; its browser gets another cookie. */
  renewCookie() {
    return this.#client.post("/stations/cookie");
  }

  openEnrolment({ version, sha256 }) {
    const message = { consent_version: version, consent_sha256: sha256 };
    return this.#known(() => this.#client.post("/enrolments", message));
  }

  addSample(enrolmentId, palm) {
    const names = { picture: "/samples", template: "/templates" };
    return this.#client.palm("POST", `/enrolments/${enrolmentId}`, names, palm);
  }

  async finishEnrolment(enrolmentId) {
    const answer = await this.#client.post(`/enrolments/${enrolmentId}/finish`);
    await saveTrust("trusted");
    navigator.storage?.persist?.().catch(() => {});
    return answer;
  }

  withdraw(handle, palmProof) {
    return this.#client.post(`/connections/${handle}/withdraw`, { palm_proof: palmProof });
  }

  deleteAccount(palmProof) {
    return this.#client.post("/account/deletion", { palm_proof: palmProof });
  }

  deletionCode(palmProof) {
    return this.#client.post("/account/deletion-code", { palm_proof: palmProof });
  }

  /** Return this phone's trust, requests of new phones and notices. */
  ownPhone() {
    return this.#ofThisPhone(this.#client.get("/account/phone"));
  }

  /** Ask the account to trust this phone. */
  askForTrust(palmProof) {
    const message = { palm_proof: palmProof };
    return this.#ofThisPhone(this.#client.post("/account/phone/trust", message));
  }

  /** Make this phone trusted with the recovery code. */
  recover(recoveryCode, palmProof) {
    const message = { recovery_code: recoveryCode, palm_proof: palmProof };
    return this.#ofThisPhone(this.#client.post("/account/phone/recovery", message));
  }

  /** Return the account's phones, apps and last sign-ins. */
  account(palmProof) {
    return this.#client.post("/account/phones", { palm_proof: palmProof });
  }

  approvePhone(handle, palmProof) {
    return this.#client.post(`/account/phones/${handle}/approve`, { palm_proof: palmProof });
  }

  refusePhone(handle) {
    return this.#client.post(`/account/phones/${handle}/refuse`);
  }

  refuseAll() {
    return this.#client.post("/account/phones/refuse");
  }

  removePhone(handle, palmProof, endSignIns) {
    const message = { palm_proof: palmProof, end_sign_ins: endSignIns };
    return this.#client.post(`/account/phones/${handle}/removal`, message);
  }

  /** Get a new recovery code; an earlier one stops. */
  recoveryCode(palmProof) {
    return this.#client.post("/account/recovery-code", { palm_proof: palmProof });
  }

  /** Prove the palm for minutes; it links this phone to its account, as a new one. */
  provePalm(palm) {
    return this.#known(() => this.#client.palm("POST", "/palm-proofs", { picture: "" }, palm));
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

  /** Authenticate this phone with a passkey; with a palm proof its account then trusts it. */
  async authenticate(wanted, palmProof = null) {
    const used = { ...(await usePasskey(wanted)), palm_proof: palmProof };
    await this.#client.post("/passkeys/assertions", used);
    await saveTrust("trusted");
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
    if (this.#isStation) return act();
    if (!(await isRegistered())) await this.#register();
    try {
      return await act();
    } catch (fault) {
      if (!(fault instanceof Refused) || fault.error !== "device_unknown") throw fault;
      await this.#register();
      return act();
    }
  }

  async #ofThisPhone(answer) {
    const said = await answer;
    await saveTrust(said.trust);
    return said;
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

/** Return a recognisable name of this phone: system and browser, as the browser reports them. */
export function deviceName({ userAgentData, platform, userAgent } = navigator) {
  const { platform: own, brands = [] } = userAgentData ?? {};
  const system = own || platform || "Phone";
  // One of the brands is invented, such as "Not)A;Brand".
  const named = brands.filter(({ brand }) => !/brand/i.test(brand)).map(({ brand }) => brand);
  const [, said] = BROWSERS.find(([token]) => userAgent.includes(token)) ?? [];
  const browser = named.find((brand) => brand !== "Chromium") ?? named[0] ?? said;
  const name = browser ? `${system} (${browser})` : system;
  return name.replace(/[\p{C}\u2028\u2029]/gu, "").slice(0, MAX_NAME);
}
