"""Settings that cannot be served safely are refused at start."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from mobile_api.enrolment import rules
from mobile_api.enrolment.rules import load_consents, text_in
from mobile_api.errors import SettingsFault
from mobile_api.settings import MobileSettings


@pytest.mark.parametrize(
    "url",
    [
        "http://id.example.test",
        "http://10.0.0.1:8080",
        "http://localhost.example.test",
        "ftp://localhost",
        "localhost:8080",
        "https://",
        "https://user@id.example.test",
        "https://id.example.test/?a=b",
        "https://id.example.test/#f",
    ],
)
def test_an_address_phones_must_not_be_sent_to_is_refused(url: str) -> None:
    """Plain http off loopback would carry palms in the open."""
    with pytest.raises(ValidationError) as caught:
        MobileSettings(public_url=url)

    assert "user@" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "origin", "path", "rp_id"),
    [
        ("https://id.example.test/", "https://id.example.test", "", "id.example.test"),
        ("https://ID.example.test:443/p", "https://id.example.test", "/p", "id.example.test"),
        ("https://id.example.test:8443", "https://id.example.test:8443", "", "id.example.test"),
        ("http://localhost:8080", "http://localhost:8080", "", "localhost"),
        ("http://127.0.0.1:8080/a/b/", "http://127.0.0.1:8080", "/a/b", None),
        ("http://[::1]:8080", "http://[::1]:8080", "", None),
    ],
)
def test_origin_path_and_rp_id_come_from_the_public_address(
    url: str, origin: str, path: str, rp_id: str | None
) -> None:
    """Proofs are checked against them; written as browsers write them, never from Host."""
    settings = MobileSettings(public_url=url)

    assert (settings.origin, settings.path, settings.rp_id) == (origin, path, rp_id)


@pytest.mark.parametrize(
    "change",
    [
        {"login_policy": "anybody"},
        {"nonce_lifetime_s": 0},
        {"samples_limit": 1},
        {"support_email": "no address"},
        {"consent_version": "two words"},
        {"unknown": 1},
    ],
)
def test_one_wrong_setting_is_enough(change: dict[str, object]) -> None:
    """A typing error must not become a default."""
    with pytest.raises(ValidationError):
        MobileSettings.model_validate(change)


def test_the_password_of_the_database_is_not_printed() -> None:
    """Settings may end up in a log."""
    url = "postgresql+psycopg://thenar:secret@127.0.0.1/thenar"

    assert "secret" not in repr(MobileSettings(database_url=url))


def test_each_consent_text_names_the_support_address_and_has_a_digest() -> None:
    """The digest covers what is shown, the address included."""
    ones = load_consents(MobileSettings(support_email="help@example.test"))
    others = load_consents(MobileSettings(support_email="other@example.test"))

    assert all("help@example.test" in one.text for one in ones.values())
    assert not any("{" in one.text for one in ones.values())
    assert len({each.sha256 for each in (*ones.values(), *others.values())}) == 2 * len(ones)


def test_the_page_has_a_consent_text_in_each_of_its_languages() -> None:
    """All of one build: seven sections, each with a heading."""
    texts = load_consents(MobileSettings())
    page = Path(rules.__file__).parents[1] / "phone_page" / "words"
    headings = {
        language: len(re.findall("^# .+$", each.text, re.M)) for language, each in texts.items()
    }

    assert set(texts) == {file.stem for file in page.glob("??.js")}
    assert set(headings.values()) == {7}


def test_an_operators_own_texts_have_a_file_for_each_language(tmp_path: Path) -> None:
    """A reader of another language gets English, which there must be."""
    (tmp_path / "de.txt").write_text("Fragen", "utf-8")
    with pytest.raises(SettingsFault, match=r"en\.txt"):
        load_consents(MobileSettings(consent_file=tmp_path))
    (tmp_path / "en.txt").write_text("Questions", "utf-8")
    texts = load_consents(MobileSettings(consent_file=tmp_path))

    assert [text_in(texts, each).text for each in ("de", "fr")] == ["Fragen", "Questions"]
    assert text_in(texts, "fr").language == "en"
