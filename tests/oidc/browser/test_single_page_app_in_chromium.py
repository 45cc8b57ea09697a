"""An app that lives in a browser, in a real one: preflights, WebCrypto, bound tokens."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from oidc.types import Authenticated, Authentication, Level
from oidc.web import pages
from tests.support.browser.consent_page import claim
from tests.support.service.sign_in import ANNA, PHONE, MakeSignIn, SignIn

pytestmark = pytest.mark.browser

APP = """async ({issuer, form, now}) => {
  const text = new TextEncoder();
  const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const part = (value) => encode(text.encode(JSON.stringify(value)));
  const pair = await crypto.subtle.generateKey(
    {name: "ECDSA", namedCurve: "P-256"}, false, ["sign", "verify"]);
  const {kty, crv, x, y} = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const proof = async (htm, htu, more) => {
    const header = {typ: "dpop+jwt", alg: "ES256", jwk: {kty, crv, x, y}};
    const claims = {jti: crypto.randomUUID(), htm, htu, iat: now, ...more};
    const signed = `${part(header)}.${part(claims)}`;
    const how = {name: "ECDSA", hash: "SHA-256"};
    const signature = await crypto.subtle.sign(how, pair.privateKey, text.encode(signed));
    return `${signed}.${encode(signature)}`;
  };
  const found = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const ask = async (nonce) => fetch(found.token_endpoint, {
    method: "POST", body: new URLSearchParams(form),
    headers: {DPoP: await proof("POST", found.token_endpoint, nonce ? {nonce} : {})},
  });
  const refused = await ask();
  const nonce = refused.headers.get("DPoP-Nonce");
  const tokens = await (await ask(nonce)).json();
  const digest = await crypto.subtle.digest("SHA-256", text.encode(tokens.access_token));
  const bound = await proof("GET", found.userinfo_endpoint, {ath: encode(digest), nonce});
  const person = await fetch(found.userinfo_endpoint, {
    headers: {Authorization: `DPoP ${tokens.access_token}`, DPoP: bound},
  });
  const stolen = await fetch(found.userinfo_endpoint, {
    headers: {Authorization: `Bearer ${tokens.access_token}`},
  });
  return {
    first: (await refused.json()).error, type: tokens.token_type,
    subject: (await person.json()).sub, id_token: tokens.id_token,
    stolen: stolen.status, challenge: stolen.headers.get("WWW-Authenticate"),
  };
}"""

ELEMENT = Path(pages.__file__).with_name("static") / "thenar-sign-in.js"

SHOW = """async ({issuer, client}) => {
  const element = document.createElement("thenar-sign-in");
  element.setAttribute("issuer", issuer);
  element.setAttribute("client-id", client);
  const done = new Promise((resolve) => ["signed-in", "sign-in-failed"].forEach((name) =>
    element.addEventListener(name, ({detail}) => resolve(detail.claims?.sub ?? detail.error))));
  const isBack = location.search !== "";
  document.body.replaceChildren(element);
  return isBack ? done : null;
}"""


@pytest.fixture
def make_sign_in(make_sign_in: MakeSignIn) -> MakeSignIn:
    """Give providers that want a nonce in every proof."""
    return lambda **changes: make_sign_in(dpop_nonce=True, **changes)


@pytest.fixture
def page(chromium: Browser, shop: str) -> Iterator[Page]:
    """Give the app's own page, on another origin than the provider."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(shop)
    yield page
    context.close()


def test_an_app_in_a_browser_gets_tokens_that_no_other_key_can_use(
    served: SignIn, page: Page, shop: str
) -> None:
    """Its key cannot leave the browser, and every answer, the refusal too, can be read."""
    app = served.another("Browser App", shop, authentication=Authentication.NONE)
    form = app.token_request(code=app.code())
    now = int(served.clock().timestamp())

    response: dict[str, Any] = page.evaluate(
        APP, {"issuer": served.settings.issuer, "form": form, "now": now}
    )

    assert (response["first"], response["type"]) == ("use_dpop_nonce", "DPoP")
    assert response["subject"] == served.subject(response)
    assert response["stolen"] == 401
    assert response["challenge"].startswith("Bearer ")
    assert "DPoP realm=" in response["challenge"], (
        "RFC 9449 §7.1: which scheme it should have been"
    )


@pytest.mark.parametrize("approves", [True, False])
def test_the_button_signs_in_by_itself(
    served: SignIn, page: Page, shop: str, *, approves: bool
) -> None:
    """With PKCE, and an event for either end; it weighs little."""
    app = served.another("Browser App", shop, authentication=Authentication.NONE)
    given = {"issuer": served.settings.issuer, "client": app.shop.client.client_id}

    def shown() -> Any:
        page.add_script_tag(content=ELEMENT.read_text("utf-8"), type="module")
        return page.evaluate(SHOW, given)

    shown()
    page.click("thenar-sign-in")
    page.wait_for_selector("#qr")
    login = claim(served, page)
    own = Authenticated(ANNA, served.clock(), Level.PALM_AND_PHONE)
    served.handoff.record_outcome(login.login_id, PHONE, own)
    end = served.handoff.approve if approves else served.handoff.decline
    end(login.login_id, PHONE)
    page.wait_for_url(f"{shop}?*")
    response = shown()

    assert response == (app.subject(app.tokens()) if approves else "access_denied")
    assert len(gzip.compress(ELEMENT.read_bytes())) <= 6000
