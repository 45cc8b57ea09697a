// express-openid-connect: middleware with its own callback route and encrypted session cookie.

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
    routes: { login: false, logout: false, callback: pathname },
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
app.use((fault, request, response, next) => {
  sayRefused(fault.error, fault.error_description ?? fault.message);
  response.status(fault.status ?? 500).send("refused");
});

await playWithPages(settings, app);
