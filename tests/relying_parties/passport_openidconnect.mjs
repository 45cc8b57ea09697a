// passport-openidconnect: a strategy that is given the endpoints; state and nonce, no PKCE.

import { randomBytes } from "node:crypto";

import express from "express";
import session from "express-session";
import passport from "passport";
import OpenIDConnectStrategy from "passport-openidconnect";

import { hear, playWithPages, say, sayRefused } from "./conversation.mjs";

const settings = await hear();
const found = await fetch(`${settings.issuer}/.well-known/openid-configuration`);
const provider = await found.json();

class Strategy extends OpenIDConnectStrategy {
  // The library's own place for parameters beyond the standard.
  authorizationParams(options) {
    return { ...options.parameters };
  }
}

passport.use(
  new Strategy(
    {
      issuer: provider.issuer,
      authorizationURL: provider.authorization_endpoint,
      tokenURL: provider.token_endpoint,
      userInfoURL: provider.userinfo_endpoint,
      clientID: settings.client_id,
      clientSecret: settings.client_secret,
      callbackURL: settings.redirect_uri,
      scope: ["offline_access"],
      nonce: true,
    },
    // Nine arguments are how one asks for the userinfo.
    (issuer, info, profile, context, idToken, accessToken, refreshToken, fields, done) =>
      done(null, { subject: profile.id, id_token: idToken, userinfo: info._json }),
  ),
);

const app = express();
app.use(
  session({
    secret: randomBytes(32).toString("hex"),
    resave: false,
    saveUninitialized: false,
  }),
);
app.get("/login", (request, response, next) =>
  passport.authenticate("openidconnect", { parameters: request.query })(request, response, next),
);
app.get(new URL(settings.redirect_uri).pathname, (request, response, next) =>
  passport.authenticate("openidconnect", (fault, learned, info) => {
    if (learned) say({ learned });
    else sayRefused(fault?.code ?? "access_denied", fault?.message ?? info.message);
    response.send(learned ? "welcome" : "refused");
  })(request, response, next),
);

await playWithPages(settings, app);
