"""Clients that register and manage themselves: RFC 7591 and RFC 7592."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from oidc.client import Client
from oidc.clients.registration import issue_initial_token, revoke_initial_token
from oidc.clients.registry import RegisteredClient
from oidc.types import ClientId
from tests.support.clock import FakeClock
from tests.support.service.sign_in import PHONE, MakeSignIn, SignIn, error_of

URI = "https://new.example/cb"
ENDPOINT = "https://id.example/register"


@pytest.fixture
def initial(sign_in: SignIn) -> str:
    """Give an initial access token."""
    with sign_in.database.write() as stores:
        return issue_initial_token(stores, "Team A", timedelta(days=1), sign_in.clock()).token


def bearer(token: str) -> dict[str, str]:
    """Return the header that carries a token."""
    return {"Authorization": f"Bearer {token}"}


def register(sign_in: SignIn, token: str, /, **metadata: Any) -> Any:
    """Ask to be registered."""
    document = {"redirect_uris": [URI], **metadata}
    return sign_in.new_browser().post(ENDPOINT, json=document, headers=bearer(token))


def manage(sign_in: SignIn, method: str, held: dict[str, Any], **options: Any) -> Any:
    """Call the address where a client manages itself."""
    uri, token = held["registration_client_uri"], held["registration_access_token"]
    return sign_in.new_browser().request(method, uri, headers=bearer(token), **options)


def wanted(held: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the metadata of a registration as an update sends it."""
    ours = {
        "registration_access_token", "registration_client_uri", "client_secret_expires_at",
        "client_id_issued_at",
    }  # fmt: skip
    return {name: value for name, value in {**held, **changes}.items() if name not in ours}


def client_of(sign_in: SignIn, held: dict[str, Any]) -> Client:
    """Return the client as it is kept."""
    with sign_in.database.read() as stores:
        client = stores.clients.find(ClientId(held["client_id"]))
    assert client is not None
    return client


def at(sign_in: SignIn, held: dict[str, Any]) -> SignIn:
    """Return everything with the registered client."""
    return sign_in.at(RegisteredClient(client_of(sign_in, held), held.get("client_secret", "")))


@pytest.fixture
def held(sign_in: SignIn, initial: str) -> dict[str, Any]:
    """Give a registration."""
    found: dict[str, Any] = register(sign_in, initial).json()
    return found


def test_a_client_registers_itself_and_signs_people_in(sign_in: SignIn, initial: str) -> None:
    """From its own metadata to a subject, with nothing done by an operator."""
    answer = register(
        sign_in,
        initial,
        client_name="New App",
        grant_types=["authorization_code", "refresh_token"],
        scope="openid offline_access email",
        contacts=["a@new.example"],
        **{"client_name#de": "Neue App"},
    )
    held = answer.json()
    body = at(sign_in, held).tokens(scope=held["scope"])

    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    assert held["client_secret_expires_at"] == 0
    assert held["client_id_issued_at"] == int(sign_in.clock().timestamp())
    assert held["registration_client_uri"] == f"{ENDPOINT}/{held['client_id']}"
    assert held["scope"] == "openid offline_access"
    assert "contacts" not in held
    assert "refresh_token" in body
    assert "external_user_id" not in sign_in.claims(body)
    assert sign_in.metadata["registration_endpoint"] == ENDPOINT


def test_what_is_left_out_has_the_defaults_of_the_standard(held: dict[str, Any]) -> None:
    """§2; people read the host where no name was given."""
    defaults = {
        "client_name": "new.example",
        "token_endpoint_auth_method": "client_secret_basic",
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "scope": "openid",
        "id_token_signed_response_alg": "RS256",
        "application_type": "web",
    }

    assert {name: held[name] for name in defaults} == defaults


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"redirect_uris": ["http://a.example/"]}, "invalid_redirect_uri"),
        ({"software_statement": "x.y.z"}, "invalid_software_statement"),
        ({"client_name": "Thenar Support", "scope": "email"}, "invalid_client_metadata"),
    ],
)
def test_a_wrong_value_is_refused_by_its_own_name(
    sign_in: SignIn, initial: str, metadata: dict[str, Any], error: str
) -> None:
    """§3.2.2: with every fault, and no client is left behind. See ``test_options``."""
    before = _clients(sign_in)
    answer = register(sign_in, initial, **metadata)

    assert error_of(answer) == (400, error)
    assert all(f"{name}: " in answer.json()["error_description"] for name in metadata)
    assert _clients(sign_in) == before


def _clients(sign_in: SignIn) -> list[ClientId]:
    with sign_in.database.read() as stores:
        return [each.client_id for each in stores.clients.all()]


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"{}x", "application/json"),
        (b"[]", "application/json"),
        (b"\xff", "application/json"),
        (b'{"client_name": "\\ud800"}', "application/json"),
        (b"[" * 9000, "application/json"),
        (b'{"redirect_uris": [], "redirect_uris": []}', "application/json"),
        (b"{}" + b" " * 20_000, "application/json"),
        (b"{}", "text/plain"),
        (b"{}", ""),
    ],
)
def test_only_one_json_object_is_read(
    sign_in: SignIn, initial: str, body: bytes, media_type: str
) -> None:
    """Two readers must not find two different documents in it."""
    headers = {**bearer(initial), "Content-Type": media_type}

    answer = sign_in.new_browser().post(ENDPOINT, content=body, headers=headers)

    assert error_of(answer) == (400, "invalid_client_metadata")


class TestInitialToken:
    """A caller without one registers nothing."""

    @pytest.mark.parametrize("sent", ["", "Bearer x", "Bearer ", "Basic eDp5", "Bearer a, b"])
    def test_without_a_good_token_nothing_is_registered(
        self, sign_in: SignIn, sent: str
    ) -> None:
        """RFC 6750 §3: 401 and a challenge."""
        headers = {"Authorization": sent} if sent else {}
        answer = sign_in.new_browser().post(
            ENDPOINT, json={"redirect_uris": [URI]}, headers=headers
        )

        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith('Bearer realm="registration"')

    def test_a_token_ends_by_its_time_and_by_its_operator(
        self, sign_in: SignIn, initial: str, held: dict[str, Any], clock: FakeClock
    ) -> None:
        """What was registered with it stays. A copied database registers no client."""
        with sign_in.database.write() as stores:
            other = issue_initial_token(stores, "Team B", timedelta(days=9), clock())
            revoke_initial_token(stores, other.stored.token_id, clock())
        clock.advance(86_400)

        for token in (initial, other.token):
            assert register(sign_in, token).status_code == 401
        assert manage(sign_in, "GET", held).status_code == 200
        assert other.token not in repr(other)
        assert len(other.stored.digest) == 32

    def test_one_token_registers_so_many_clients_in_an_hour(
        self, make_sign_in: MakeSignIn, clock: FakeClock
    ) -> None:
        """A leaked token must not fill the database."""
        sign_in = make_sign_in(registrations_hourly=2)
        with sign_in.database.write() as stores:
            one, two = (
                issue_initial_token(stores, name, timedelta(days=1), clock()).token
                for name in "ab"
            )

        codes = [register(sign_in, one).status_code for _ in range(3)]
        over = register(sign_in, one)
        other = register(sign_in, two).status_code
        clock.advance(3601)

        assert codes == [201, 201, 429]
        assert error_of(over) == (429, "too_many_registrations")
        assert over.headers["retry-after"] == "3600"
        assert other == 201
        assert register(sign_in, one).status_code == 201


class TestManagement:
    """RFC 7592: read, replace, remove, by the client's own token alone."""

    def test_a_registration_can_be_read_again_and_again(
        self, sign_in: SignIn, held: dict[str, Any]
    ) -> None:
        """Reading changes nothing; the secret is not kept and not sent."""
        first, second = (manage(sign_in, "GET", held) for _ in range(2))

        assert first.status_code == 200
        assert first.json() == second.json()
        assert first.json() == {
            name: value for name, value in held.items() if not name.startswith("client_secret")
        }

    def test_an_update_replaces_everything_but_the_token(
        self, sign_in: SignIn, initial: str
    ) -> None:
        """§2.2: what is left out returns to its default. A lost answer loses nothing."""
        held = register(sign_in, initial, client_name="Old", scope="openid").json()
        new_uri = "https://new.example/other"
        wish = {"client_id": held["client_id"], "redirect_uris": [new_uri]}

        changed = manage(sign_in, "PUT", held, json=wish)

        body = changed.json()
        assert changed.status_code == 200
        assert (body["redirect_uris"], body["client_name"]) == ([new_uri], "new.example")
        assert body["client_id_issued_at"] == held["client_id_issued_at"]
        assert body["registration_access_token"] == held["registration_access_token"]
        assert manage(sign_in, "PUT", held, json=wish).json() == body

    def test_secret_and_subjects_survive_an_update(
        self, sign_in: SignIn, held: dict[str, Any]
    ) -> None:
        """People stay linked, and the app's server goes on."""
        before = client_of(sign_in, held)
        with sign_in.database.write() as stores:
            stores.clients.replace(replace(before, resource_server=True))

        again = wanted(held, client_secret=held["client_secret"], client_name="Renamed")
        assert manage(sign_in, "PUT", held, json=again).status_code == 200

        after = client_of(sign_in, held)
        assert after.resource_server, "an operator chose it"
        assert (after.sector, after.secret_digest) == (before.sector, before.secret_digest)
        assert after.name == "Renamed"

    @pytest.mark.parametrize(
        "changes",
        [
            *({"client_id": each} for each in ("another", None)),
            *({"client_secret": each} for each in ("chosen", 7)),
            {"token_endpoint_auth_method": "none"},
            {"redirect_uris": []},
            {"software_statement": "x"},
            {"registration_access_token": "{ours}"},
            {"client_id_issued_at": "{ours}"},
        ],
    )
    def test_an_update_with_one_thing_wrong_changes_nothing(
        self, sign_in: SignIn, held: dict[str, Any], changes: dict[str, Any]
    ) -> None:
        """§2.2: also what is ours and comes back. It costs no token."""
        ours = {name: held[name] for name, value in changes.items() if value == "{ours}"}

        answer = manage(sign_in, "PUT", held, json=wanted(held, **changes) | ours)

        assert answer.status_code == 400
        assert manage(sign_in, "GET", held).json()["redirect_uris"] == [URI]

    def test_a_removed_client_is_gone_with_its_token(
        self, sign_in: SignIn, held: dict[str, Any]
    ) -> None:
        """§2.3: 204, and then 401."""
        removed = manage(sign_in, "DELETE", held)

        assert (removed.status_code, removed.content) == (204, b"")
        assert manage(sign_in, "GET", held).status_code == 401
        with sign_in.database.read() as stores:
            assert stores.clients.find(ClientId(held["client_id"])) is None

    @pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
    def test_one_clients_token_manages_no_other(
        self, sign_in: SignIn, initial: str, held: dict[str, Any], method: str
    ) -> None:
        """Nor does the initial token; no token of registration manages an operator's client."""
        other = register(sign_in, initial).json()
        shop = f"{ENDPOINT}/{sign_in.shop.client.client_id}"
        foreign = [
            {**held, "registration_access_token": other["registration_access_token"]},
            {**held, "registration_access_token": initial},
            {**held, "registration_client_uri": shop},
            {**held, "registration_client_uri": f"{ENDPOINT}/{'0' * 32}"},
            {**held, "registration_client_uri": f"{ENDPOINT}/a%00b"},
        ]
        options = {"json": wanted(held)} if method == "PUT" else {}

        answers = [manage(sign_in, method, each, **options) for each in foreign]

        assert {answer.status_code for answer in answers} == {401}
        assert len({json.dumps(answer.json()) for answer in answers}) == 1


def test_people_see_that_no_operator_has_checked_the_name(
    sign_in: SignIn, initial: str
) -> None:
    """On the consent page and on the phone; not of clients that an operator registered."""
    held = register(sign_in, initial, client_name="Corner Bookshop").json()
    for each, expected in ((at(sign_in, held), True), (sign_in, False)):
        page = each.open_page()
        claimed = sign_in.handoff.claim(sign_in.ticket_on(page), PHONE)

        assert claimed.registered_itself is expected
        assert ('id="registered-itself"' in sign_in.browser.get(page).text) is expected
