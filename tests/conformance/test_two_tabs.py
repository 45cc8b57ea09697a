"""One login finished by several requests at once: a retry, or a second tab."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oidc.client import ConfirmCode
from tests.support.databases.postgres import empty_database
from tests.support.service.sign_in import SignIn, new_provider, response_of

pytestmark = [pytest.mark.postgres, pytest.mark.check]

TABS = 8


@pytest.fixture
def sign_in(tmp_path: Path, postgres_url: str) -> Iterator[SignIn]:
    """Give a provider on PostgreSQL, where transactions overlap."""
    with empty_database(postgres_url) as url:
        provider = new_provider(url, tmp_path)
        yield provider
        provider.close()


@pytest.mark.parametrize("asks_code", ConfirmCode)
def test_all_get_the_code_or_learn_that_it_was_issued(
    sign_in: SignIn, asks_code: ConfirmCode
) -> None:
    """None gets an error of the service, and there is one code; of a pushed request, too."""
    app = sign_in.another(confirm_code=asks_code)
    named = {"client_id": app.shop.client.client_id}
    pushed = app.call("par", app.request()).json()["request_uri"]
    page = app.authorize({**named, "request_uri": pushed}).headers["location"]
    app.approve(page)
    typed = app.codes.pop(page)
    form = f"{page}/code" if typed else f"{page}/continue"
    browsers = [app.new_browser() for _ in range(TABS)]
    for browser in browsers:
        browser.cookies = app.browser.cookies
    with ThreadPoolExecutor(TABS) as pool:
        answers = list(pool.map(lambda tab: tab.post(form, data={"code": typed}), browsers))

    assert len({response_of(each)["code"] for each in answers}) == 1
