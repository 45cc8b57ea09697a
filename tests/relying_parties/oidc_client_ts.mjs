// oidc-client-ts: the UserManager of single-page apps, in a window without a screen. Such an
// app has no secret: PKCE alone protects its code.

import { InMemoryWebStorage, UserManager, WebStorageStateStore } from "oidc-client-ts";

import { hear, playWithoutPages } from "./conversation.mjs";

const settings = await hear();

let visited;
const location = {
  origin: new URL(settings.redirect_uri).origin,
  href: settings.redirect_uri,
  assign: (address) => visited(address),
};
globalThis.window = Object.assign(new EventTarget(), { location, crypto: globalThis.crypto });
window.self = window.top = window;

// The library merges userinfo into the profile: what the endpoint answered is noted here.
let userinfo;
const send = globalThis.fetch;
globalThis.fetch = async (address, options) => {
  const answer = await send(address, options);
  if (String(address).endsWith("/userinfo")) userinfo = await answer.clone().json();
  return answer;
};

const manager = new UserManager({
  authority: settings.issuer,
  client_id: settings.client_id,
  redirect_uri: settings.redirect_uri,
  post_logout_redirect_uri: settings.post_logout_redirect_uri,
  scope: "openid offline_access",
  loadUserInfo: true,
  automaticSilentRenew: false,
  monitorSession: false,
  stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
});

function describe(user) {
  const described = { subject: user.profile.sub, id_token: user.id_token, userinfo };
  userinfo = undefined;
  return described;
}

async function leave() {
  const address = new Promise((resolve) => (visited = resolve));
  manager.signoutRedirect({ state: "leaving" });
  const finish = async (callback) => {
    const { userState } = await manager.signoutRedirectCallback(callback);
    if (userState !== "leaving") throw new Error(`another state: ${userState}`);
  };
  return { visit: await address, finish };
}

async function begin(extraQueryParams) {
  const address = new Promise((resolve) => (visited = resolve));
  const nonce = crypto.randomUUID();
  // The promise of a redirect never settles: the window has gone to another page.
  manager.signinRedirect({ nonce, extraQueryParams });
  const finish = async (callback) => {
    const learned = describe(await manager.signinRedirectCallback(callback));
    return { ...learned, refreshed: describe(await manager.signinSilent()) };
  };
  return { visit: await address, finish };
}

await playWithoutPages(begin, leave);
