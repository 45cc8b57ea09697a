// @auth/core, the engine of Auth.js: PKCE, state, nonce, userinfo; its callback path is fixed.

import { randomBytes } from "node:crypto";

import { Auth, skipCSRFCheck } from "@auth/core";

import { hear, playWithPages, say, sayRefused } from "./conversation.mjs";

const settings = await hear();
const { origin } = new URL(settings.redirect_uri);
const REFUSAL = "OAuthCallbackError";

const config = {
  providers: [
    {
      id: "thenar",
      name: "Thenar",
      type: "oidc",
      issuer: settings.issuer,
      clientId: settings.client_id,
      clientSecret: settings.client_secret,
      authorization: { params: { scope: "openid offline_access" } },
      checks: ["pkce", "state", "nonce"],
      idToken: false, // the profile is what userinfo answers
    },
  ],
  basePath: "/auth",
  secret: randomBytes(32).toString("hex"),
  trustHost: true,
  callbacks: {
    signIn({ account, profile }) {
      const subject = account.providerAccountId;
      say({ learned: { subject, id_token: account.id_token, userinfo: profile } });
      return true;
    },
  },
  logger: {
    // The library tells an error of the provider in its debugging log only.
    debug(message, cause) {
      if (message === REFUSAL) sayRefused(cause.error, cause.error_description);
    },
    error(fault) {
      if (fault.type !== REFUSAL) sayRefused(fault.type, fault.message);
    },
  },
};

/** Do what the frameworks' signIn() does on the server. */
function signIn(address) {
  const parameters = new URL(address, origin).search;
  const body = new URLSearchParams({ callbackUrl: `${origin}/profile` });
  const request = new Request(`${origin}/auth/signin/thenar${parameters}`, {
    method: "POST",
    body,
  });
  return Auth(request, { ...config, skipCSRFCheck });
}

function answered({ url, headers }) {
  if (url.startsWith("/login?")) return signIn(url);
  if (url.startsWith("/auth/")) return Auth(new Request(`${origin}${url}`, { headers }), config);
  return new Response("welcome");
}

await playWithPages(settings, async (request, response) => {
  const answer = await answered(request);
  response.writeHead(answer.status, [...answer.headers].flat());
  response.end(await answer.text());
});
