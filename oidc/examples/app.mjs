// npm install openid-client; node app.mjs
import { createServer } from "node:http";
import * as oidc from "openid-client";

const { ISSUER, CLIENT_ID, CLIENT_SECRET, APP = "http://127.0.0.1:3000" } = process.env;
const local = ISSUER.startsWith("http:") ? { execute: [oidc.allowInsecureRequests] } : {};
const thenar = await oidc.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, local);
const begun = new Map(); // by browser; keep it in your session store

async function begin(browser) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()];
  begun.set(browser, { pkceCodeVerifier, expectedState, expectedNonce });
  return oidc.buildAuthorizationUrl(thenar, {
    redirect_uri: `${APP}/callback`,
    scope: "openid",
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
    nonce: expectedNonce,
  });
}

async function finish(browser, url) {
  const tokens = await oidc.authorizationCodeGrant(thenar, url, begun.get(browser));
  begun.delete(browser);
  return tokens.claims().sub; // this person in this app, for ever: the key of the account
}

createServer(async ({ url: asked, headers: { cookie } }, answer) => {
  const url = new URL(asked, APP);
  const browser = /browser=([\w-]+)/.exec(cookie)?.[1] ?? crypto.randomUUID();
  answer.setHeader("Set-Cookie", `browser=${browser}; HttpOnly; SameSite=Lax; Path=/`);
  try {
    if (url.pathname === "/login") answer.writeHead(302, { Location: await begin(browser) }).end();
    else if (url.pathname === "/callback") answer.end(`Hello, ${await finish(browser, url)}`);
    else answer.setHeader("Content-Type", "text/html").end('<a href="/login">Sign in</a>');
  } catch (fault) {
    answer.writeHead(403).end(`The sign-in failed: ${fault.error ?? fault.code}`);
  }
}).listen(new URL(APP).port, "127.0.0.1");
