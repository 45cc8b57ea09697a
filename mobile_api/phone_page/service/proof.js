/** A DPoP-shaped proof of one request (RFC 9449 §4), with the body's digest in it. */

const encoder = new TextEncoder();

const SIGNATURE = { name: "ECDSA", hash: "SHA-256" };

/** Return base64url without padding. RFC 7515 §2. */
export function base64url(bytes) {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Return the proof.
 *
 * @param {CryptoKeyPair} key
 * @param {{method: string, url: string, body: Uint8Array, nonce: string, at: number}} request
 *   at: seconds since 1970 by the service's clock.
 */
export async function proofOf(key, { method, url, body, nonce, at }) {
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", key.publicKey);
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } };
  const claims = {
    jti: base64url(crypto.getRandomValues(new Uint8Array(16))),
    htm: method,
    htu: url,
    iat: Math.floor(at),
    nonce,
    bh: base64url(await crypto.subtle.digest("SHA-256", body)),
  };
  const part = (value) => base64url(encoder.encode(JSON.stringify(value)));
  const signed = `${part(header)}.${part(claims)}`;
  const signature = await crypto.subtle.sign(SIGNATURE, key.privateKey, encoder.encode(signed));
  return `${signed}.${base64url(signature)}`;
}
