"""One login finished by several requests at once: a retry, or a second tab."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

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


def test_all_get_the_code_or_learn_that_it_was_issued(sign_in: SignIn) -> None:
    """None gets an error of the service, and there is one code."""
    page = sign_in.open_page()
    sign_in.approve(page)
    typed = sign_in.codes.pop(page)
    browsers = [sign_in.new_browser() for _ in range(TABS)]
    for browser in browsers:
        browser.cookies = sign_in.browser.cookies
    with ThreadPoolExecutor(TABS) as pool:
        answers = list(
            pool.map(lambda tab: tab.post(f"{page}/code", data={"code": typed}), browsers)
        )

    codes = {response_of(each)["code"] for each in answers if each.status_code == 200}
    assert len(codes) == 1
    assert {each.status_code for each in answers} <= {200, 403}
