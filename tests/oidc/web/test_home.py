"""The page at the root."""

from pathlib import Path

import pytest

from mobile_api.api.page import load_page
from tests.support.service.sign_in import MakeSignIn, SignIn

WAYS_ON = (
    "https://id.example/m",
    "https://id.example/portal",
    "/.well-known/openid-configuration",
)


@pytest.mark.parametrize("tag", ["en", "de", "fr", "es", "pt", "ar", "ja", "zh"])
def test_a_person_who_types_in_the_address_finds_every_way_on(
    sign_in: SignIn, tag: str
) -> None:
    """In their language, with a mark that loads."""
    answer = sign_in.browser.get("/", headers={"Accept-Language": tag})

    assert answer.status_code == 200
    assert answer.headers["content-language"] == tag
    assert all(f'{way}"' in answer.text for way in WAYS_ON)
    icon = sign_in.browser.get("/oauth/static/icon.svg")
    assert icon.headers["content-type"] == "image/svg+xml"
    assert icon.content.startswith(b"<svg")


def test_every_page_shows_the_operators_brand(make_sign_in: MakeSignIn, tmp_path: Path) -> None:
    """Name, mark and colour; the phone's page, too."""
    mark = tmp_path / "mark.svg"
    mark.write_text("<svg/>")
    given = {"name": "Hôtel & Co", "colour": "#5b2a86", "mark": mark}
    ours = make_sign_in(**{f"brand_{name}": value for name, value in given.items()})
    phone = load_page(accept_templates=True, extractor="", brand=ours.settings.brand)

    for path in ("/", "/oauth/authorize", "/oauth/logout", "/portal"):
        page = ours.browser.get(path).text
        assert ("Hôtel &amp; Co" in page, "Thenar" in page) == (True, False), path
    assert "--brand: #5b2a86" in ours.browser.get("/oauth/static/tokens.css").text
    assert ours.browser.get("/oauth/static/icon.svg").text == "<svg/>"
    assert phone.files["brand.svg"] == mark and "m/brand.svg" in phone.html
    assert ">Hôtel &amp; Co<" in phone.html and 'data-brand="#5b2a86"' in phone.html
