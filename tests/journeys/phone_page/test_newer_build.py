"""A newer build of the page is deployed while an older one is open, and kept."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Page, expect

from mobile_api import page_build
from mobile_api.api.page import BUILT
from tests.support.browser.page_builds import Deployment, changed_build, serving
from tests.support.browser.template_distance import START_WORKER
from tests.support.phone.screen import PhoneScreen

pytestmark = [pytest.mark.browser]

OLD, NEW = "Sign in with your palm", "Sign in with your open palm"

KEEP = """async () => {
  const { keeper } = document.documentElement.dataset;
  await navigator.serviceWorker.register(keeper, { scope: "m" });
  if (!navigator.serviceWorker.controller) {
    await new Promise((is) => (navigator.serviceWorker.oncontrollerchange = is));
  }
}"""
"""As the page does after its first sign-in."""

LEARN = """async () => {
  const registration = await navigator.serviceWorker.getRegistration("m");
  await registration.update();
  const newer = registration.installing ?? registration.waiting;
  if (!newer) return "nothing";
  while (!["installed", "activated"].includes(newer.state)) {
    await new Promise((is) => (newer.onstatechange = is));
  }
  return newer.state;
}"""

REPLACED = """async () => {
  const registration = await navigator.serviceWorker.getRegistration("/m");
  while (registration.waiting || registration.active.state !== "activated") {
    await new Promise((is) => setTimeout(is, 100));
  }
}"""
"""From a page that no worker serves: one that opens too early keeps the older worker."""

ONE_CACHE = """async () => {
  while ((await caches.keys()).length !== 1) await new Promise((is) => setTimeout(is, 100));
}"""


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page once more, with another heading."""
    if page_build.what_is_missing() or not (BUILT / "index.html").is_file():
        pytest.skip("the page's builds need Node")
    folder = tmp_path_factory.mktemp("newer")
    return changed_build(folder, "words/en.js", f'title_home: "{OLD}"', f'title_home: "{NEW}"')


@pytest.fixture
def deployment() -> Deployment:
    """Give a server with the build there is."""
    deployment = Deployment()
    deployment.deploy(BUILT)
    return deployment


@pytest.fixture
def address(deployment: Deployment) -> Iterator[str]:
    """Serve it."""
    with serving(deployment) as address:
        yield address


def heading(page: Page, text: str) -> None:
    """Wait for the heading of the start."""
    expect(page.locator('#stage[data-screen="home"] h1')).to_have_text(text)


def test_a_newer_build_breaks_no_page_and_replaces_the_older(
    phone: PhoneScreen, deployment: Deployment, address: str, newer: Path, complaints: list[str]
) -> None:
    """The open page gets its own files to the end; who comes next gets the newer ones."""
    old, context = phone.page, phone.page.context
    old.goto(address)
    heading(old, OLD)
    old.evaluate(KEEP)
    script = old.get_attribute("script[type=module]", "src") or ""
    deployment.deploy(newer)
    gone = httpx2.get(address.removesuffix("/m") + "/" + script, timeout=60)
    assert gone.status_code == 404
    assert old.evaluate(LEARN) == "installed"

    # The older page goes on: its worker and its networks come from what was kept.
    old.evaluate(START_WORKER)
    words = next(path.name for path in BUILT.glob("en-*.js"))
    assert old.evaluate(
        f"() => import('/m/{words}').then((all) => Object.keys(all.default).length)"
    )

    # Who opens the page now gets the newer one; without a network, the one that was kept.
    young = context.new_page()
    young.on("pageerror", lambda fault: complaints.append(str(fault)))
    young.goto(address)
    heading(young, NEW)
    context.set_offline(offline=True)
    young.reload()
    heading(young, OLD)
    context.set_offline(offline=False)

    # When the older page is closed, the newer one takes its place.
    last = context.new_page()
    last.goto(address.removesuffix("/m"))
    old.close()
    young.close()
    last.evaluate(REPLACED)
    last.goto(address)
    heading(last, NEW)
    last.evaluate(ONE_CACHE)
    context.set_offline(offline=True)
    last.reload()
    heading(last, NEW)
    assert complaints == []
