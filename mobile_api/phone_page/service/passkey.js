/**
 * Passkeys (WebAuthn Level 3): the phone's screen lock says that this browser's key is its
 * person's. It signs no request; everything works without.
 */

import { base64url } from "./proof.js";

/** The phone made or used no passkey: it was cancelled, it took too long, or there is none. */
export class NoPasskey extends Error {}

/** This phone holds a passkey of its person already. */
export class PasskeyKnown extends Error {}

/** Whether this phone has a screen lock that the service can be told of. */
export async function hasScreenLock() {
  if (document.documentElement.dataset.passkeys === undefined) return false;
  const known = globalThis.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable;
  return Boolean(await known?.call(PublicKeyCredential).catch(() => false));
}

/**
 * Make a passkey.
 *
 * @param {object} wanted as the service answered it.
 * @param {string} name what the phone calls it in its own lists.
 * @returns {Promise<object>} what the service is told.
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
      residentKey: "preferred",
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
 * Let a passkey sign.
 *
 * @param {object} wanted as the service answered it.
 * @returns {Promise<object>} what the service is told.
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

/** Tell the phone that a passkey is good for nothing any more, if it can be told. */
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
