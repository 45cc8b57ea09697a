// node-oidc-provider as it comes, with its in-memory store, for `thenar bench oidc`.
//
// Configured to do what Thenar does where both can: RS256 ID tokens, refresh tokens that are
// rotated, a client that proves itself with a secret in the form, PKCE. Access tokens are opaque,
// its default: the cheaper kind. POST /bench/codes?count=N makes authorization codes as its own
// endpoint would; that time is not measured.
import { createServer } from "node:http";
import { generateKeyPair, exportJWK } from "jose";
import { Provider } from "oidc-provider";
import MemoryAdapter from "./node_modules/oidc-provider/lib/adapters/memory_adapter.js";

const [port, clientId, clientSecret, redirectUri, codeChallenge] = process.argv.slice(2);
// Its in-memory adapter forgets all but the latest thousand entries: this one forgets none.
const kept = new Map();
class UnforgettingAdapter extends MemoryAdapter {
  get storage() {
    return kept;
  }
}

const issuer = `http://127.0.0.1:${port}`;
const scope = "openid offline_access";
const { privateKey } = await generateKeyPair("RS256", { modulusLength: 2048, extractable: true });

const provider = new Provider(issuer, {
  adapter: UnforgettingAdapter,
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "client_secret_post",
    },
  ],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), use: "sig", alg: "RS256" }] },
  cookies: { keys: ["not used"] },
  features: { devInteractions: { enabled: false } },
  scopes: ["openid", "offline_access"],
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  rotateRefreshToken: true,
  ttl: {
    AccessToken: 3600,
    AuthorizationCode: 600,
    Grant: 7_776_000,
    IdToken: 3600,
    RefreshToken: 7_776_000,
  },
});

async function mintCode(number) {
  const accountId = `person-${number}`;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  const client = await provider.Client.find(clientId);
  const code = new provider.AuthorizationCode({
    accountId,
    client,
    grantId: await grant.save(),
    gty: "authorization_code",
    redirectUri,
    scope,
    nonce: "n-0S6_WzA2Mj",
    codeChallenge,
    codeChallengeMethod: "S256",
    authTime: Math.floor(Date.now() / 1000),
    expiresWithSession: false,
  });
  return code.save();
}

const answer = provider.callback();
createServer(async (request, response) => {
  const url = new URL(request.url, issuer);
  if (url.pathname !== "/bench/codes") return answer(request, response);
  const codes = [];
  for (let number = 0; number < Number(url.searchParams.get("count")); number += 1) {
    codes.push(await mintCode(number));
  }
  const body = JSON.stringify(codes);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}).listen(Number(port), "127.0.0.1");
