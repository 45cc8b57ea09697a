/**
 * `<thenar-sign-in>`: the button “Sign in with your palm”, in the language of your page. Has no
 * dependency: copy this file into your app, and load it as a module.
 *
 * Around your own link it is a button and no more; without scripts the link stays:
 *   <thenar-sign-in><a href="/login">Sign in with your palm</a></thenar-sign-in>
 *
 * Without one it signs people in by itself, for apps that live in a browser (a public client, the
 * authorization code flow with PKCE). The page at `redirect-uri` has the same element:
 *   <thenar-sign-in issuer="https://id.example" client-id="…" redirect-uri="https://…/">
 * It tells with the events `signed-in` (detail: claims, tokens) and `sign-in-failed` (detail: error).
 */

const WORDS = {
  en: "Sign in with your palm",
  es: "Inicia sesión con la palma de la mano",
  fr: "Connectez-vous avec la paume de votre main",
  de: "Mit der Handfläche anmelden",
  pt: "Entre com a palma da mão",
  ar: "سجّل الدخول براحة يدك",
  zh: "用手掌登录",
  ja: "手のひらでサインイン",
};

const HAND = "M38 92c-9-8-17-20-24-31-4-7 4-12 9-6l9 11V27c0-8 10-8 10 0v-11c0-8 10-8 10 0v11"
  + "c0-8 10-8 10 0v7c0-7 10-7 10 0v32c0 14-6 22-12 27z";

const STYLE = `
  :host { display: inline-block; max-width: 100%; }
  .box { position: relative; display: flex; gap: .75rem; align-items: center; justify-content: center;
    min-height: 48px; padding: .5rem 1.25rem; box-sizing: border-box; border: 1px solid #74796f;
    border-radius: 12px; color: #1c211d; background: #fff; font: 600 1rem/1.3 system-ui, sans-serif; }
  svg { flex: none; width: 2rem; height: 2rem; fill: none; stroke: #0b6e5f; stroke-width: 7;
    stroke-linejoin: round; }
  button, ::slotted(*) { all: unset; cursor: pointer; }
  button::after, ::slotted(*)::after { content: ""; position: absolute; inset: 0; border-radius: 12px; }
  .box:focus-within { outline: 3px solid #0b6e5f; outline-offset: 3px; }
  @media (prefers-color-scheme: dark) {
    .box { color: #eceee8; background: #1d211c; }
    svg { stroke: #6fd3bf; }
    .box:focus-within { outline-color: #6fd3bf; }
  }`;

const KEPT = "thenar-sign-in";

const encoded = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const random = () => encoded(crypto.getRandomValues(new Uint8Array(32)));

/** What an ID token says. Its issuer was asked by TLS: OpenID Connect Core §3.1.3.7, number 6. */
function claimsOf(token) {
  const part = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(part, (c) => c.charCodeAt(0))));
}

class ThenarSignIn extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    const box = document.createElement("div");
    box.className = "box";
    box.innerHTML = `<svg viewBox="0 0 90 106" aria-hidden="true"><path d="${HAND}"/></svg>`;
    box.append(document.createElement(this.#isLink ? "slot" : "button"));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [sheet];
    root.append(box);
    if (this.#isLink) return;
    const [lang] = (this.closest("[lang]")?.lang || navigator.language).split("-");
    box.lastChild.textContent = WORDS[lang] ?? WORDS.en;
    box.lastChild.addEventListener("click", () => this.#report(this.#begin()));
    this.#report(this.#finish());
  }

  get #isLink() {
    return this.firstElementChild !== null;
  }

  get #redirectUri() {
    return this.getAttribute("redirect-uri") ?? location.origin + location.pathname;
  }

  /** Dispatch the result; nothing while the browser leaves, or without a callback. */
  async #report(work) {
    let event = null;
    try {
      const detail = await work;
      if (detail) event = new CustomEvent("signed-in", { bubbles: true, detail });
    } catch (fault) {
      const detail = { error: fault.message };
      event = new CustomEvent("sign-in-failed", { bubbles: true, detail });
    }
    if (event) this.dispatchEvent(event);
  }

  async #discovered() {
    const issuer = this.getAttribute("issuer");
    const found = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    if (found.issuer !== issuer) throw new Error("another_issuer");
    return found;
  }

  async #begin() {
    const found = await this.#discovered();
    const [verifier, state, nonce] = [random(), random(), random()];
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    sessionStorage.setItem(KEPT, JSON.stringify({ verifier, state, nonce }));
    location.assign(`${found.authorization_endpoint}?${new URLSearchParams({
      response_type: "code", client_id: this.getAttribute("client-id"), state, nonce,
      redirect_uri: this.#redirectUri, scope: this.getAttribute("scope") ?? "openid",
      code_challenge: encoded(digest), code_challenge_method: "S256",
      ui_locales: this.closest("[lang]")?.lang ?? "" })}`);
  }

  /** Take the answer that this browser waits for, once. RFC 6749 §4.1.2, RFC 9207. */
  async #finish() {
    const said = new URLSearchParams(location.search);
    const begun = JSON.parse(sessionStorage.getItem(KEPT));
    if (!begun || said.get("state") !== begun.state) return null;
    sessionStorage.removeItem(KEPT);
    history.replaceState(null, "", location.pathname);
    const found = await this.#discovered();
    if (said.get("iss") !== found.issuer) throw new Error("another_issuer");
    if (said.has("error")) throw new Error(said.get("error"));
    const client = this.getAttribute("client-id");
    const answer = await fetch(found.token_endpoint, { method: "POST", body: new URLSearchParams({
      grant_type: "authorization_code", code: said.get("code"), client_id: client,
      redirect_uri: this.#redirectUri, code_verifier: begun.verifier }) });
    const tokens = await answer.json();
    if (!answer.ok) throw new Error(tokens.error);
    const claims = claimsOf(tokens.id_token);
    const isOurs = claims.iss === found.issuer && [claims.aud].flat().includes(client)
      && claims.nonce === begun.nonce && claims.exp * 1000 > Date.now();
    if (!isOurs) throw new Error("id_token_refused");
    return { claims, tokens };
  }
}

customElements.define("thenar-sign-in", ThenarSignIn);
