/**
 * Passkeys (WebAuthn Level 3): the phone's screen lock confirms whose key this browser has. They
 * sign no requests and are optional.
 */

import { base64url } from "./proof.js";

/** No passkey was created or used: cancelled, timed out, or none exists. */
export class NoPasskey extends Error {}

/** This phone already has a passkey for the account. */
export class PasskeyKnown extends Error {}

/** Whether the service and this browser support passkeys, such as those of another phone. */
export const canUsePasskeys = () =>
  document.documentElement.dataset.passkeys !== undefined && "PublicKeyCredential" in globalThis;

/** Whether this phone has a screen lock and the service supports passkeys. */
export async function hasScreenLock() {
  if (!canUsePasskeys()) return false;
  const known = globalThis.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable;
  return Boolean(await known?.call(PublicKeyCredential).catch(() => false));
}

/**
 * Create a passkey.
 *
 * @param {object} wanted as the service answered it.
 * @param {string} name shown in the phone's list of passkeys.
 * @returns {Promise<object>} message for the service.
 * @throws {PasskeyKnown|NoPasskey}
 */
export async function createPasskey(wanted, name) {
  const { response } = await asked("create", {
    rp: { id: wanted.rp_id, name: wanted.rp_id },
    user: { id: octets(wanted.user_handle), name, displayName: name },
    challenge: octets(wanted.challenge),
    pubKeyCredParams: wanted.algorithms.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: wanted.exclude.map(named),
    authenticatorSelection: {
      authenticatorAttachment: "platform",
      residentKey: "required", // a new phone does not know which passkeys there are
      userVerification: "required",
    },
    attestation: "none",
    timeout: wanted.expires_in * 1000,
  });
  return {
    challenge: wanted.challenge,
    client_data: base64url(response.clientDataJSON),
    attestation: base64url(response.attestationObject),
  };
}

/**
 * Sign with a passkey.
 *
 * @param {object} wanted as the service answered it.
 * @returns {Promise<object>} message for the service.
 * @throws {NoPasskey}
 */
export async function usePasskey(wanted) {
  const { rawId, response } = await asked("get", {
    rpId: wanted.rp_id,
    challenge: octets(wanted.challenge),
    allowCredentials: wanted.allow.map(named),
    userVerification: "required",
    timeout: wanted.expires_in * 1000,
  });
  return {
    challenge: wanted.challenge,
    credential_id: base64url(rawId),
    client_data: base64url(response.clientDataJSON),
    authenticator_data: base64url(response.authenticatorData),
    signature: base64url(response.signature),
    user_handle: response.userHandle?.byteLength ? base64url(response.userHandle) : null,
  };
}

/** Tell the phone that a passkey is no longer valid, if supported. */
export async function forgetPasskey(rpId, credentialId) {
  await globalThis.PublicKeyCredential?.signalUnknownCredential?.({ rpId, credentialId })
    .catch(() => {});
}

async function asked(how, publicKey) {
  try {
    return await navigator.credentials[how]({ publicKey });
  } catch (fault) {
    throw fault.name === "InvalidStateError" ? new PasskeyKnown() : new NoPasskey(fault.name);
  }
}

const named = (id) => ({ type: "public-key", id: octets(id) });

const octets = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
