"""Signing keys: encrypted, published, and the only ones that count."""

import base64
import json
import stat
from datetime import timedelta
from pathlib import Path
from traceback import format_exception

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey
from pydantic import SecretStr

from oidc.app import build_app, migrate
from oidc.errors import KeyCommandFailed, SigningKeyFault, TokenInvalid
from oidc.keys import KeyCipher, Overlap, SigningKeys, load_cipher, make_key_file, rotate_key
from oidc.plumbing import key_source
from oidc.plumbing.key_source import KeySource
from oidc.settings import OidcSettings
from oidc.storage.database import Database
from oidc.types import Lifetimes
from tests.support.clock import FakeClock


@pytest.fixture
def cipher(settings: OidcSettings) -> KeyCipher:
    """Give the cipher of the migrated database."""
    return load_cipher(settings.key_source)


@pytest.fixture
def keys(database: Database, cipher: KeyCipher, clock: FakeClock) -> SigningKeys:
    """Give the signing keys."""
    return SigningKeys(database, cipher, clock)


def test_private_keys_are_sealed_in_the_database(database: Database, cipher: KeyCipher) -> None:
    """A thief of the database cannot sign; nor with another key encryption key."""
    with database.read() as stores:
        record = next(each for each in stores.keys.all() if each.algorithm == "RS256")

    private = json.loads(cipher.decrypt(record.sealed_private, record.kid))
    assert private["d"].encode() not in record.sealed_private
    with pytest.raises(SigningKeyFault):
        KeyCipher(b"\x01" * 32).decrypt(record.sealed_private, record.kid)
    with pytest.raises(SigningKeyFault):
        cipher.decrypt(record.sealed_private, "another-kid")
    with pytest.raises(SigningKeyFault):
        cipher.decrypt(record.sealed_private[:-1], record.kid)


def test_only_our_own_keys_and_algorithms_verify(keys: SigningKeys) -> None:
    """Algorithm confusion, foreign keys, keys inside the token. RFC 8725 §3.1."""
    public, curve = keys.jwks()["keys"]
    kid = public["kid"]
    foreign = RSAKey.generate_key(2048)
    header = {"alg": "RS256", "typ": "at+jwt", "kid": kid}
    n_as_secret = OctKey.import_key(base64.urlsafe_b64decode(public["n"] + "=="))
    unsigned = base64.urlsafe_b64encode(json.dumps({**header, "alg": "none"}).encode())
    forged = [
        jwt.encode(header, {}, foreign, ["RS256"]),
        jwt.encode({**header, "jwk": foreign.as_dict(private=False)}, {}, foreign, ["RS256"]),
        jwt.encode({**header, "kid": "unknown"}, {}, foreign, ["RS256"]),
        jwt.encode({"alg": "RS256", "typ": "at+jwt"}, {}, foreign, ["RS256"]),
        jwt.encode({**header, "alg": "HS256"}, {}, n_as_secret, ["HS256"]),
        jwt.encode({**header, "kid": curve["kid"]}, {}, foreign, ["RS256"]),
        unsigned.rstrip(b"=").decode() + ".e30.",
    ]

    for token in forged:
        with pytest.raises(TokenInvalid):
            keys.verify(token, typ="at+jwt")


def test_without_a_key_nothing_is_signed(
    database: Database, cipher: KeyCipher, clock: FakeClock
) -> None:
    """The message says what to do."""
    clock.now -= timedelta(days=1)

    with pytest.raises(SigningKeyFault, match="thenar migrate"):
        SigningKeys(database, cipher, clock).sign({}, typ="JWT")


def test_a_key_file_is_for_its_owner_and_is_never_overwritten(tmp_path: Path) -> None:
    """A second start must not lock the first one's keys away."""
    path = tmp_path / "new" / "key"
    make_key_file(path)
    first = path.read_text()
    make_key_file(path)

    assert path.read_text() == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KeyCipher is type(load_cipher(KeySource(path)))


@pytest.mark.parametrize("text", ["", "short", "ä", "!" * 43, "A" * 44])
def test_a_key_that_is_not_32_bytes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Clearly, and without showing it."""
    path = tmp_path / "key"
    path.write_text(text, encoding="utf-8")
    given, printed = KeySource(path, secret=SecretStr(text)), KeySource(path, command="cat key")
    monkeypatch.chdir(tmp_path)

    for source in (KeySource(path), given, printed):
        with pytest.raises((SigningKeyFault, KeyCommandFailed)) as caught:
            load_cipher(source)
        assert text not in str(caught.value) or not text


KEY = base64.urlsafe_b64encode(b"k" * 32).decode()


def test_a_setting_or_a_command_takes_precedence_over_the_file(tmp_path: Path) -> None:
    """A secret manager needs no file."""
    encrypted, none = KeyCipher(b"k" * 32).encrypt(b"x", "kid"), tmp_path / "none"
    printing = f"sh -c 'echo asked >&2; echo {KEY}'"

    for secret, command in ((SecretStr(KEY.rstrip("=")), "false"), (None, printing)):
        source = KeySource(none, "KEY", secret, command)
        assert load_cipher(source).decrypt(encrypted, "kid") == b"x"
        assert KEY[:9] not in repr(source)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("sh -c 'echo hush-hush; echo hush-hush >&2; exit 3'", "ended with status 3"),
        ("/nowhere/vault --token hush-hush", "cannot be started: No such file"),
        ("vault 'hush-hush", "open quotation mark"),
        ("printf 'hush-hush\\377'", "something else than a key"),
        ("sh -c 'sleep 9 & sleep 9; hush-hush'", "took more than 1 s"),
    ],
)
def test_a_command_that_gives_no_key_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, reason: str
) -> None:
    """Which setting, and why; not what it is, nor what it said."""
    monkeypatch.setattr(key_source, "COMMAND_LIMIT_S", 1 if "sleep" in command else 60)
    with pytest.raises(KeyCommandFailed, match=f"^the command of KEY_COMMAND .*{reason}") as no:
        load_cipher(KeySource(tmp_path / "none", "KEY", command=command))

    assert "hush-hush" not in "".join(format_exception(no.value)).replace(command, "")


def test_a_lost_key_file_is_never_replaced(settings: OidcSettings) -> None:
    """New random bytes would look like a repair and sign every verifier out."""
    settings.key_encryption_key_file.unlink()

    with pytest.raises(SigningKeyFault, match="restore it from its backup"):
        migrate(settings)
    with pytest.raises(SigningKeyFault):
        build_app(settings)
    assert not settings.key_encryption_key_file.exists()


def _kid(token: str) -> str:
    header = token.partition(".")[0]
    kid: str = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["kid"]
    return kid


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_each_algorithm_signs_with_its_own_key(keys: SigningKeys, algorithm: str) -> None:
    """RS256 stands first in the JWKS, for libraries that look at one; types have no case."""
    published = KeySet.import_key_set(keys.jwks())  # type: ignore[arg-type]

    token = keys.sign({"sub": "x"}, typ="AT+JWT", algorithm=algorithm)

    assert jwt.decode(token, published, [algorithm]).header["alg"] == algorithm
    assert keys.verify(token, typ="at+jwt") == {"sub": "x"}
    assert [key["alg"] for key in keys.jwks()["keys"]] == ["RS256", "ES256"]


class TestRotation:
    """``thenar key rotate``: nothing that was signed is refused before its end."""

    OVERLAP = Overlap.for_tokens(Lifetimes())

    def test_a_new_key_is_published_before_it_signs(
        self, keys: SigningKeys, database: Database, cipher: KeyCipher, clock: FakeClock
    ) -> None:
        """Verifiers cache the JWKS: a key they do not know yet must not sign."""
        old = _kid(keys.sign({}, typ="JWT"))
        with database.write() as stores:
            fresh = rotate_key(stores, cipher, "RS256", self.OVERLAP, clock())

        clock.advance(61)
        assert fresh.kid in _kids(keys)
        assert _kid(keys.sign({}, typ="JWT")) == old
        clock.advance(15 * 60)
        assert _kid(keys.sign({}, typ="JWT")) == fresh.kid

    def test_the_old_key_verifies_until_its_last_token_is_dead(
        self, keys: SigningKeys, database: Database, cipher: KeyCipher, clock: FakeClock
    ) -> None:
        """Signed in the last second by a process that had not looked for a minute."""
        with database.write() as stores:
            rotate_key(stores, cipher, "RS256", self.OVERLAP, clock())
        clock.advance(15 * 60 - 1)
        last = keys.sign({"sub": "x"}, typ="at+jwt")

        clock.advance(Lifetimes().access_token_s + 61)
        assert keys.verify(last, typ="at+jwt") == {"sub": "x"}
        clock.advance(61)
        with pytest.raises(TokenInvalid):
            keys.verify(last, typ="at+jwt")
        assert _kid(last) not in _kids(keys)

    def test_a_compromised_key_dies_at_once(
        self, keys: SigningKeys, database: Database, cipher: KeyCipher, clock: FakeClock
    ) -> None:
        """Its holder could sign for anybody; other processes follow within a minute."""
        token = keys.sign({"sub": "x"}, typ="at+jwt")
        with database.write() as stores:
            fresh = rotate_key(stores, cipher, "RS256", Overlap.none(), clock())

        clock.advance(60)
        assert _kid(keys.sign({}, typ="JWT")) == fresh.kid
        with pytest.raises(TokenInvalid):
            keys.verify(token, typ="at+jwt")

    def test_a_rotation_leaves_other_algorithms_and_forgets_dead_keys(
        self, database: Database, cipher: KeyCipher, clock: FakeClock
    ) -> None:
        """The private half of a dead key is deleted; an earlier end is never put off."""
        with database.write() as stores:
            before = {each.kid: each for each in stores.keys.all()}
            first = rotate_key(stores, cipher, "ES256", Overlap.none(), clock())
            rotate_key(stores, cipher, "ES256", self.OVERLAP, clock())
            after = {each.kid: each for each in stores.keys.all()}
            rotate_key(stores, cipher, "ES256", self.OVERLAP, clock())
            again = {each.kid: each for each in stores.keys.all()}

        rsa = [kid for kid, each in before.items() if each.algorithm == "RS256"]
        gone = [kid for kid in before if kid not in after]
        assert [after[kid].retires_at for kid in rsa] == [None]
        assert [before[kid].algorithm for kid in gone] == ["ES256"]
        assert again[first.kid].retires_at == after[first.kid].retires_at


def _kids(keys: SigningKeys) -> set[str]:
    return {each["kid"] for each in keys.jwks()["keys"]}
