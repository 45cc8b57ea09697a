// openid-client: PKCE, state, nonce, signature of the ID token, userinfo, refresh. With a
// private key it signs for itself and asks for ES256; otherwise it has a secret.

import * as oidc from "openid-client";

import { hear, playWithoutPages } from "./conversation.mjs";

const settings = await hear();

async function authentication() {
  if (!settings.private_key) return oidc.ClientSecretBasic(settings.client_secret);
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { kid, ...jwk } = settings.private_key;
  const key = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
  return oidc.PrivateKeyJwt({ key, kid });
}

const config = await oidc.discovery(
  new URL(settings.issuer),
  settings.client_id,
  { id_token_signed_response_alg: settings.private_key ? "ES256" : "RS256" },
  await authentication(),
  // Loopback has no TLS. Without it, signatures are checked against the JWKS.
  { execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks] },
);

async function describe(tokens) {
  const subject = tokens.claims().sub;
  const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, subject);
  return { subject, id_token: tokens.id_token, userinfo };
}

let idTokenHint;

async function leave() {
  const state = oidc.randomState();
  const visit = oidc.buildEndSessionUrl(config, {
    id_token_hint: idTokenHint,
    post_logout_redirect_uri: settings.post_logout_redirect_uri,
    state,
  });
  const finish = (callback) => {
    const returned = new URL(callback).searchParams.get("state");
    if (returned !== state) throw new Error(`another state: ${returned}`);
  };
  return { visit: visit.href, finish };
}

async function begin(parameters) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const expectedNonce = oidc.randomNonce();
  const visit = oidc.buildAuthorizationUrl(config, {
    redirect_uri: settings.redirect_uri,
    scope: "openid offline_access",
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
    nonce: expectedNonce,
    ...parameters,
  });
  const finish = async (callback) => {
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(config, new URL(callback), checks);
    idTokenHint = tokens.id_token;
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token);
    return { ...(await describe(tokens)), refreshed: await describe(refreshed) };
  };
  return { visit: visit.href, finish };
}

await playWithoutPages(begin, leave);
