"""Eight languages: the same messages with the same placeholders, and the right one chosen."""

from pathlib import Path
from string import Formatter

import pytest

from oidc import portal
from oidc.types import NextStep
from oidc.web.language import FOLDER, TAGS, Language, Languages
from tests.support.service.sign_in import SignIn

PORTAL = Path(portal.__file__).with_name("locales")
LANGUAGES = Languages(PORTAL)
ENGLISH, *OTHERS = LANGUAGES


def placeholders(sentence: str) -> set[str]:
    """Return the names in braces."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def test_there_are_eight_and_no_file_is_forgotten() -> None:
    """A catalogue that is not loaded is a translation that is not seen."""
    assert len(TAGS) == 8
    for folder in (FOLDER, PORTAL):
        assert {file.stem for file in folder.glob("*.json")} == set(TAGS)


@pytest.mark.parametrize("language", OTHERS, ids=lambda each: each.tag)
def test_every_language_says_everything_in_its_own_words(language: Language) -> None:
    """No message is missing, none is English, and each takes the same values."""
    assert list(language.messages) == list(ENGLISH.messages)
    for key, sentence in language.messages.items():
        assert sentence.strip() not in ("", ENGLISH.messages[key]), key
        assert placeholders(sentence) == placeholders(ENGLISH.messages[key]), key


def test_every_hint_has_words() -> None:
    """The page says something in every state; every language has the same messages."""
    assert {f"hint_{hint.value}" for hint in NextStep} <= set(ENGLISH.messages)


@pytest.mark.parametrize(
    ("ui_locales", "accept", "tag"),
    [
        (None, None, "en"),
        (None, "", "en"),
        (None, "de-AT,de;q=0.9,en;q=0.8", "de"),
        (None, "en;q=0.1, fr;q=0.9", "fr"),
        (None, "fr;q=0, es", "es"),
        (None, "tlh, ja;q=0.5", "ja"),
        (None, "zh-Hant-TW", "zh"),
        (None, "*", "en"),
        (None, "PT-br", "pt"),
        (None, "de;q=nonsense, es;q=0.1", "es"),
        ("ar", "de", "ar"),
        ("tlh fr-CA de", "es", "fr"),
        ("", "es", "es"),
        ("x" * 10_000, "es", "es"),
    ],
)
def test_the_client_asks_first_and_the_browser_next(
    ui_locales: str | None, accept: str | None, tag: str
) -> None:
    """OpenID Connect Core §3.1.2.1; RFC 9110 §12.5.4; RFC 4647 §3.4."""
    assert LANGUAGES.choose(ui_locales, accept).tag == tag


def test_a_name_keeps_its_direction_in_a_right_to_left_sentence() -> None:
    """Isolated, or its punctuation would jump. Unicode Standard Annex 9."""
    arabic = LANGUAGES.choose("ar", None)

    assert arabic.direction == "rtl"
    assert "\u2068Shop (1)\u2069" in arabic.translate("back", client="Shop (1)")
    assert ENGLISH.translate("back", client="Shop (1)") == "Back to Shop (1)"


@pytest.mark.parametrize(
    ("tag", "headers", "status", "shown"),
    [
        ("ar", {}, 303, "ar"),
        ("ar", {"Referer": "https://evil.example/"}, 303, "ar"),
        ("ar", {"Origin": "https://evil.example"}, 404, "de"),
        ("tlh", {}, 404, "de"),
    ],
)
def test_the_menu_comes_before_what_client_and_browser_ask_for(
    sign_in: SignIn, tag: str, headers: dict[str, str], status: int, shown: str
) -> None:
    """It leads back to the page that it is on, and nowhere else."""
    page = sign_in.open_page(ui_locales="de")
    came_from = {"Referer": page} | headers

    answer = sign_in.browser.post(f"/oauth/language/{tag}", headers=came_from)

    ours = page if came_from["Referer"] == page else "https://id.example/"
    assert (answer.status_code, answer.headers.get("location", ours)) == (status, ours)
    assert f'<html lang="{shown}"' in sign_in.browser.get(page).text


def test_the_page_speaks_what_the_client_or_browser_asks_for(sign_in: SignIn) -> None:
    """The language and its direction are stated, for readers and for caches."""
    page = sign_in.open_page(ui_locales="ar")
    asked = sign_in.browser.get(page)
    left = sign_in.browser.post(f"{page}/cancel")
    browsers = sign_in.browser.get(sign_in.open_page(), headers={"Accept-Language": "ja"})
    posted = sign_in.ask(ui_locales="ar", response_mode="form_post", prompt="none")

    assert '<html lang="ar" dir="rtl">' in asked.text
    assert '<html lang="ar" dir="rtl">' in left.text
    assert '<html lang="ar" dir="rtl">' in posted.text
    assert '<html lang="ja" dir="ltr">' in browsers.text
    assert browsers.headers["content-language"] == "ja"
    assert browsers.headers["vary"] == "Accept-Language, Cookie"
