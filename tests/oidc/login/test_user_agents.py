"""What a browser says of itself, and what its address tells: coarse, and harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oidc.web.cookies import browser_of, is_handheld, system_of

AGENTS = {
    f"({said[0]}) {said[1]}": said[2:]
    for said in (
        ("Windows NT 10.0; x64", "Chrome/150.0 Safari/537.36", "Chrome", "Windows"),
        ("Windows NT 10.0", "Chrome/150.0 Safari/537.36 Edg/150.0", "Edge", "Windows"),
        ("Macintosh; Intel Mac OS X 10_15_7", "Version/26.0 Safari/605.1", "Safari", "macOS"),
        ("X11; Linux x86_64; rv:153.0", "Gecko/20100101 Firefox/153.0", "Firefox", "Linux"),
        ("X11; CrOS x86_64 14541.0.0", "Chrome/150.0 Safari/537.36", "Chrome", "ChromeOS"),
        ("Linux; Android 15", "SamsungBrowser/28 Chrome/130", "Samsung Internet", "Android"),
        ("iPhone; CPU OS 26_0 like Mac OS X", "CriOS/150 Safari/604", "Chrome", "iOS"),
        ("iPad; CPU OS 26_0 like Mac OS X", "FxiOS/153 Safari/604", "Firefox", "iOS"),
        ("X11; Linux", "Chrome/150.0 Safari/537.36 OPR/130.0", "Opera", "Linux"),
        ("", "curl/8.5.0", None, None),
    )
}


@pytest.mark.parametrize("agent", AGENTS)
def test_families_are_distinguished(agent: str) -> None:
    """Most browsers also name Chrome and Safari; the true family wins."""
    assert (browser_of(agent), system_of(agent)) == AGENTS[agent]
    assert is_handheld(agent) == (AGENTS[agent][1] in ("Android", "iOS"))


@given(st.text())
def test_any_user_agent_gives_a_word_of_ours_or_none(agent: str) -> None:
    """What is shown on the phone is never a string that an attacker chose."""
    assert browser_of(agent) in {None, *(family for family, _ in AGENTS.values())}
