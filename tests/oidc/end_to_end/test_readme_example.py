"""The resource server that oidc/docs/sessions-and-logout.md shows, run as it stands there."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from joserfc.errors import JoseError

from tests.support.clock import FakeClock
from tests.support.service.sign_in import MakeSignIn

PAGE = Path(__file__).parents[3] / "oidc" / "docs" / "sessions-and-logout.md"
HOSTS = {"issuer": "https://id.example", "base_url": "https://api.example/oauth2"}


@pytest.fixture
def clock() -> FakeClock:
    """Give a clock that shows the real time once: the example reads the real one."""
    return FakeClock(datetime.now(UTC))  # noqa: TID251


@pytest.fixture
def person_behind() -> Callable[[str, Any], str]:
    """Give the function of the example, exactly as printed."""
    found = re.search(r"```python\n(from.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {}
    exec(found[1], names)  # noqa: S102
    function: Callable[[str, Any], str] = names["person_behind"]
    return function


def test_the_example_reads_an_access_token_and_nothing_else(
    make_sign_in: MakeSignIn, person_behind: Callable[[str, Any], str]
) -> None:
    """People copy it: it must take our tokens, and must not take an ID token for one."""
    sign_in = make_sign_in(**HOSTS)
    jwks = sign_in.new_browser().get("/.well-known/jwks.json").json()
    tokens = sign_in.tokens()

    subject = person_behind(tokens["access_token"], jwks)
    assert subject == sign_in.subject(tokens)
    with pytest.raises((ValueError, JoseError)):
        person_behind(tokens["id_token"], jwks)
