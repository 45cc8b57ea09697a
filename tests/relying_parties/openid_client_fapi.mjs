// openid-client under the FAPI 2.0 Security Profile: pushed requests, PKCE, a signature instead
// of a secret, and DPoP from the push to userinfo and refresh.

import * as oidc from "openid-client";

import { hear, playWithoutPages } from "./conversation.mjs";

const settings = await hear();

const algorithm = { name: "ECDSA", namedCurve: "P-256" };
const { kid, ...jwk } = settings.private_key;
const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);

const config = await oidc.discovery(
  new URL(settings.issuer),
  settings.client_id,
  { id_token_signed_response_alg: "ES256", require_pushed_authorization_requests: true },
  oidc.PrivateKeyJwt({ key, kid }),
  // Loopback has no TLS. Without it, signatures are checked against the JWKS.
  { execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks] },
);
const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair());

async function describe(tokens) {
  if (tokens.token_type !== "dpop") throw new Error(`not bound: ${tokens.token_type}`);
  const subject = tokens.claims().sub;
  const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, subject, { DPoP });
  return { subject, id_token: tokens.id_token, userinfo };
}

async function begin(parameters) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const expectedNonce = oidc.randomNonce();
  const asked = {
    redirect_uri: settings.redirect_uri,
    scope: "openid offline_access",
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
    nonce: expectedNonce,
    ...parameters,
  };
  const visit = await oidc.buildAuthorizationUrlWithPAR(config, asked, { DPoP });
  const finish = async (callback) => {
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const here = new URL(callback);
    const tokens = await oidc.authorizationCodeGrant(config, here, checks, undefined, { DPoP });
    const kept = tokens.refresh_token;
    const refreshed = await oidc.refreshTokenGrant(config, kept, undefined, { DPoP });
    return { ...(await describe(tokens)), refreshed: await describe(refreshed) };
  };
  return { visit: visit.href, finish };
}

await playWithoutPages(begin);
