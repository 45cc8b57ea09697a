"""What a developer does with clients of one's own, and cannot do with anybody else's."""

import json
import re
from typing import Any

import pytest
from joserfc.jwk import ECKey

from oidc.clients.options import describe
from tests.support.service.portal_developer import CALLBACK, Visitor, element
from tests.support.service.sign_in import BERT, onward, query_of

pytestmark = pytest.mark.alone

PAGES = ("", "/credentials", "/errors", "/team", "/change", "/sandbox", "/remove")
_PUBLIC = json.dumps(
    {"keys": [ECKey.generate_key("P-256", auto_kid=True).as_dict(private=False)]}
)


def _exchange(visitor: Visitor, client_id: str, secret: str, code: str) -> Any:
    fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
    proof = {"client_id": client_id, "client_secret": secret}
    return visitor.sign_in.post_token(fields | proof)


def _redeem(visitor: Visitor, client_id: str, secret: str, code: str = "x") -> tuple[int, str]:
    answer = _exchange(visitor, client_id, secret, code)
    return answer.status_code, answer.json().get("error", "")


def _authorized(visitor: Visitor, client_id: str) -> str:
    """Sign a person in to a client; return the code."""
    sign_in = visitor.sign_in
    page = sign_in.open_page(client_id=client_id, redirect_uri=CALLBACK)
    sign_in.approve(page, BERT)
    return query_of(onward(sign_in.proceed(page)))["code"]


def test_a_registered_client_signs_people_in(dora: Visitor) -> None:
    """Given a form, when it is sent, then people sign in with the client that it made."""
    client_id, secret = dora.registered()

    assert _redeem(dora, client_id, secret, _authorized(dora, client_id)) == (200, "")
    apps = dora.get().text
    assert client_id in apps and 'class="badge"' not in apps
    assert secret not in dora.get(f"/clients/{client_id}").text


def test_everything_that_was_chosen_is_kept(dora: Visitor) -> None:
    """Each field of the form, as the store has it and as the form shows it again."""
    chosen = {
        "client_name": "Bank",
        "redirect_uris": [CALLBACK, "http://127.0.0.1:9/cb"],
        "token_endpoint_auth_method": "private_key_jwt",
        "jwks": json.loads(_PUBLIC),
        "id_token_signed_response_alg": "ES256",
        "confirm_code": "always",
        "post_logout_redirect_uris": ["https://app.example/bye"],
        "backchannel_logout_uri": "https://app.example/logout",
    }
    ticked = (
        "require_pkce", "require_pushed_authorization_requests", "dpop_bound_access_tokens",
        "backchannel_logout_session_required", "accept_palm_alone", "accept_stations",
        "sandbox",
    )  # fmt: skip
    typed = {
        name: "\r\n\r\n".join(value) if isinstance(value, list) else str(value)
        for name, value in chosen.items()
    } | {"jwks": _PUBLIC}

    made = dora.register(**typed, **dict.fromkeys(ticked, "yes"))
    client_id = element(made.text, "client-id")

    with dora.sign_in.database.read() as stores:
        client = stores.clients.find(client_id)  # type: ignore[arg-type]
    assert client is not None
    form = dora.get(f"/clients/{client_id}/change").text
    kept = describe(client)
    expected = chosen | dict.fromkeys(ticked, True)
    assert {name: kept[name] for name in expected} == expected
    assert not client.external_user_id
    assert 'type="hidden" name="sandbox" value="yes"' in form
    assert "https://app.example/bye" in form and "&#34;kty&#34;" in form
    assert form.count(" checked") == len(ticked)
    assert '<span class="badge">Sandbox</span>' in dora.get().text


def test_all_faults_are_said_at_once_each_at_its_field(dora: Visitor) -> None:
    """One round, not one for each fault."""
    signs = {"token_endpoint_auth_method": "private_key_jwt", "jwks": "{"}
    wrong = {"client_name": "", "redirect_uris": "http://a.example/", **signs}
    answer = dora.register(**wrong, backchannel_logout_uri="ftp://a.example/")

    found = re.findall(r'<(?:input|textarea|select) id="(\w+)"[^>]*aria-invalid', answer.text)
    assert found == ["client_name", "redirect_uris", "jwks", "backchannel_logout_uri"]
    assert [f'href="#{each}"' in answer.text for each in found] == [True] * 4


def test_names_are_text_and_nothing_else(dora: Visitor) -> None:
    """A name with markup is shown as it was typed, everywhere."""
    name = "<script>alert(1)</script>\"'><img src=x>"
    client_id, _ = dora.registered(client_name=name)

    for page in ("", *(f"/clients/{client_id}{path}" for path in PAGES)):
        html = dora.get(page).text
        assert "&lt;script&gt;alert(1)" in html
        assert "<script>alert" not in html
        assert "<img src=x" not in html


def test_only_offered_overlaps_and_only_clients_with_a_secret(dora: Visitor) -> None:
    """A hand-made form changes nothing."""
    client_id, secret = dora.registered()
    page = f"/clients/{client_id}"
    odd = dora.send(f"{page}/secret", page, overlap="99999")
    public = element(dora.register(token_endpoint_auth_method="none").text, "client-id")
    none = dora.send(f"/clients/{public}/secret", "/clients/new", overlap="1")

    assert (odd.status_code, none.status_code) == (403, 403)
    assert _redeem(dora, client_id, secret) == (400, "invalid_grant")


def test_errors_are_shown_with_their_reason(
    dora: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    """Errors that the app got, and advice for the developer alone; newest first, no secret."""
    client_id, secret = dora.registered()
    sign_in = dora.sign_in
    typo = "https://app.example/typo?code=secret"
    refused = sign_in.authorize(sign_in.request(client_id=client_id, redirect_uri=typo)).text
    asked = sign_in.request(client_id=client_id, redirect_uri=CALLBACK, scope="email")
    sign_in.authorize(asked)
    _redeem(dora, client_id, "wrong-secret-of-mine")
    _redeem(dora, client_id, secret)
    page = sign_in.open_page(client_id=client_id, redirect_uri=CALLBACK)
    sign_in.browser.post(f"{page}/cancel")

    html = dora.get(f"/clients/{client_id}/errors").text
    table = html[html.index('<ul id="errors"') : html.index("</ul>")]

    assert client_id in refused and "sent you here" in refused and "typo" not in refused
    assert f"{client_id}: the redirect URI" in caplog.text and "typo..." in caplog.text
    for shown in (
        "is not registered for this client, received: https://app.example/typo...",
        "invalid_scope",
        "client authentication failed",
        "invalid_grant",
        "the person cancelled in the browser",
    ):
        assert shown in table
    assert table.index("access_denied") < table.index("invalid_scope")
    assert "wrong-secret-of-mine" not in html and secret not in html
    errors = f"{dora.portal}/clients/{client_id}/errors"
    for word, count in {"INVALID_SCOPE": 1, "token 2026-11-2": 2, "<b>%00\0": 0, "": 5}.items():
        found = dora.browser.get(errors, params={"q": word}).text
        assert found.count("<li>") == count, word


def test_sign_ins_are_counted_by_day_and_end(dora: Visitor) -> None:
    """Two on one day, one and a cancelled one on the next; another app's count nowhere.

    The counts stay when the logins are deleted.
    """
    client_id, _ = dora.registered()
    sign_in, counts = dora.sign_in, []
    for hours in (0, 1, 24):
        sign_in.clock.advance(hours * 3600)
        _authorized(dora, client_id)
    page = sign_in.open_page(client_id=client_id, redirect_uri=CALLBACK)
    sign_in.browser.post(f"{page}/cancel")
    sign_in.code()
    for hours in (0, 2):
        sign_in.clock.advance(hours * 3600)
        sign_in.sweep()
        dora.follow_login(dora.send("/sign-in"))
        html = dora.get(f"/clients/{client_id}").text
        counts.append(re.findall(r"<t[hd][^>]*>(?:<time[^>]*>)?([\d-]+)<", html))

    assert counts == [
        ["2026-11-21", "1", "1", "0", "0", "2026-11-20", "2", "0", "0", "0"]
    ] * 2  # fmt: skip


def test_no_answer_waits_until_its_error_is_stored(dora: Visitor) -> None:
    """While another process writes, a refusal is sent at once; its developer reads it later."""
    client_id, _ = dora.registered()
    sign_in = dora.sign_in
    with sign_in.database.write():
        refused = sign_in.authorize(sign_in.request(client_id=client_id, redirect_uri="x"))

    assert refused.status_code == 400
    assert "not registered" in dora.get(f"/clients/{client_id}/errors").text


def test_an_error_in_a_loop_is_kept_once_in_ten_seconds(dora: Visitor) -> None:
    """A client that tries again for ever writes little, and hides nothing."""
    client_id, _ = dora.registered()
    for _ in range(5):
        _redeem(dora, client_id, "wrong")
    dora.sign_in.clock.advance(10)
    _redeem(dora, client_id, "wrong")

    assert dora.get(f"/clients/{client_id}/errors").text.count("<li>") == 2


@pytest.mark.parametrize("path", PAGES)
def test_clients_of_others_do_not_exist(dora: Visitor, emil: Visitor, path: str) -> None:
    """Another developer's, the operator's, the portal's own and none at all: one answer."""
    theirs, _ = dora.registered()
    operators = dora.sign_in.shop.client.client_id
    named = (theirs, operators, "thenar-portal", "0" * 32, "%00", "a b")
    answers = [emil.get(f"/clients/{each}{path}") for each in named]

    assert {each.status_code for each in answers} == {404}
    assert len({element(each.text, "status") for each in answers}) == 1
    assert dora.get(f"/clients/{theirs}{path}").status_code == 200


@pytest.mark.parametrize("path", ["/change", "/secret", "/remove"])
def test_clients_of_others_cannot_be_touched(dora: Visitor, emil: Visitor, path: str) -> None:
    """Not with a good proof of one's own, either."""
    theirs, secret = dora.registered()
    fields = {"sure": "yes", "overlap": "0", "client_name": "Mine", "redirect_uris": CALLBACK}

    assert emil.send(f"/clients/{theirs}{path}", "", **fields).status_code == 404
    assert _redeem(dora, theirs, secret) == (400, "invalid_grant")
    assert element(dora.get(f"/clients/{theirs}").text, "client-name") == "Garden App"


def test_removing_warns_first_and_then_revokes(dora: Visitor) -> None:
    """Nothing is removed by a slip; afterwards every token is dead."""
    client_id, secret = dora.registered()
    answer = _exchange(dora, client_id, secret, _authorized(dora, client_id))
    token, page = answer.json()["access_token"], f"/clients/{client_id}/remove"
    before = dora.sign_in.userinfo(token).status_code
    unsure = dora.send(page, page)
    sure = dora.send(page, page, sure="yes")

    assert "cannot be undone" in unsure.text
    assert (before, unsure.status_code, sure.status_code) == (200, 400, 303)
    assert dora.sign_in.userinfo(token).status_code == 401
    assert dora.get(f"/clients/{client_id}").status_code == 404
    assert _redeem(dora, client_id, secret) == (401, "invalid_client")


def test_a_developer_has_so_many_clients(dora: Visitor) -> None:
    """A bound, so that one account cannot fill the table."""
    for _ in range(dora.sign_in.settings.portal_clients):
        assert dora.register().status_code == 201

    assert "already" in element(dora.register().text, "reason")


def test_a_trial_shows_what_an_app_would_receive(dora: Visitor) -> None:
    """Claims decoded and checked; no token in the page, and none alive."""
    result = dora.follow_login(dora.send("/trial", "/trial"))

    assert result.status_code == 200
    for shown in ("thenar-sandbox", '"nonce"', '"amr"', "grant_id", "Bearer"):
        assert shown in result.text
    assert "eyJ" not in result.text
    assert dora.get("/trial/callback?code=x&state=y").status_code == 400
