// express-openid-connect: middleware with its own callback route and encrypted session cookie.
// Logouts of other apps come to its back-channel route.

import { randomBytes } from "node:crypto";

import express from "express";
import sessions from "express-openid-connect";

import { hear, playWithPages, say, sayRefused } from "./conversation.mjs";

const settings = await hear();
const { origin, pathname } = new URL(settings.redirect_uri);

async function describe(oidc) {
  const userinfo = await oidc.fetchUserInfo();
  return { subject: oidc.user.sub, id_token: oidc.idToken, userinfo };
}

// What the library asks of a store: as little as this.
const ended = new Map();
const store = {
  get: (id, done) => done(null, ended.get(id)),
  set: (id, value, done) => done(null, ended.set(id, value)),
  destroy: (id, done) => done(null, ended.delete(id)),
};

const app = express();
app.use(
  sessions.auth({
    issuerBaseURL: settings.issuer,
    baseURL: origin,
    clientID: settings.client_id,
    clientSecret: settings.client_secret,
    clientAuthMethod: "client_secret_basic",
    secret: randomBytes(32).toString("hex"),
    authRequired: false,
    authorizationParams: { response_type: "code", scope: "openid offline_access" },
    idpLogout: true,
    backchannelLogout: { store },
    routes: { login: false, callback: pathname, postLogoutRedirect: "/bye" },
  }),
);
app.get("/login", (request, response) =>
  response.oidc.login({ returnTo: "/profile", authorizationParams: { ...request.query } }),
);
app.get("/profile", async (request, response) => {
  const learned = await describe(request.oidc);
  await request.oidc.accessToken.refresh();
  say({ learned: { ...learned, refreshed: await describe(request.oidc) } });
  response.send("welcome");
});
app.get("/who", (request, response) => {
  response.json({ subject: request.oidc.isAuthenticated() ? request.oidc.user.sub : null });
});
app.use((fault, request, response, next) => {
  sayRefused(fault.error, fault.error_description ?? fault.message);
  response.status(fault.status ?? 500).send("refused");
});

await playWithPages(settings, app);
