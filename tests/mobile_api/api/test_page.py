"""The phone's page as it is served: built or plain, compressed or not, and nothing beside."""

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mobile_api.api.page import LICENCES, SOURCE, load_page, page_routes
from tests.support.service.mobile_api import PUBLIC_URL, MobileWorld

LICENCE = Path(__file__).parents[3] / "LICENSE"
HTML = '<!doctype html><html lang="en" dir="ltr" data-files="{&quot;palmnet-3&quot;}"></html>'


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Give a built page with one compressed file."""
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "index.html").write_text(HTML)
    (folder / "main-ABCD2345.js").write_text("plain")
    (folder / "main-ABCD2345.js.br").write_bytes(b"packed")
    (folder / "sw.js").write_text("keeper")
    return folder


def client_of(
    folder: Path, *, accept_templates: bool = True, extractor: str = "palmnet-3"
) -> TestClient:
    """Serve the page of a folder, or the plain modules if nothing was built there."""
    app = FastAPI()
    shown = load_page(accept_templates=accept_templates, extractor=extractor, built=folder)
    app.include_router(page_routes(shown, is_secure=False))
    return TestClient(app)


def test_the_page_says_what_the_link_is_before_any_script_runs(world: MobileWorld) -> None:
    """A person who opens the link with a camera must learn whether to go on."""
    answer = world.client.get(f"{PUBLIC_URL}/m")

    assert answer.status_code == 200
    assert "thenar phone answer" in answer.text
    assert "close this page" in answer.text


def test_the_licences_of_the_page_are_served_beside_it(built: Path) -> None:
    """Who gets the networks and their runtime must get their texts."""
    answer = client_of(built).get("/m/licences")

    assert answer.headers["Content-Type"].startswith("text/plain")
    for words in ("Apache License", "MediaPipe Authors", "Microsoft Corporation", "XNNPACK"):
        assert words in answer.text
    assert (SOURCE / "licences" / "thenar.txt").read_text() == LICENCE.read_text()
    assert set((SOURCE / "licences").iterdir()) < set(LICENCES)


@pytest.mark.parametrize("address", ["/m", "/m/main-ABCD2345.js", "/m/nothing"])
def test_every_answer_carries_the_policy(built: Path, address: str) -> None:
    """A script has its own answer's policy when it runs as a worker."""
    headers = client_of(built).get(address).headers
    policy = headers["Content-Security-Policy"]

    assert policy.startswith("default-src 'none'")
    assert "'unsafe-" not in policy
    assert headers["Permissions-Policy"].startswith("camera=(self)")
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Cross-Origin-Embedder-Policy" not in headers


def test_plain_modules_import_what_is_served(tmp_path: Path) -> None:
    """Without a build the browser follows the imports itself."""
    client = client_of(tmp_path / "nothing")
    seen, open_ = set(), {"main.js"}
    while open_:
        name = open_.pop()
        seen.add(name)
        answer = client.get(f"/m/{name}")
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/javascript")
        for target in re.findall(r'(?:from|import)\s*\(?"(\.[^"]+)"', answer.text):
            found = (SOURCE / name).parent.joinpath(target).resolve()
            open_ |= {found.relative_to(SOURCE.resolve()).as_posix()} - seen

    assert "flows/login.js" in seen


def test_no_source_names_an_address_of_another_host() -> None:
    """No third party learns who opens the page."""
    page = load_page(accept_templates=True, extractor="x", built=Path("nowhere"))
    for file in page.files.values():
        addresses = set(re.findall(r"https?://[^\s\"')]+", file.read_text("utf-8", "ignore")))
        assert addresses <= {"http://www.w3.org/2000/svg"}


def test_a_compressed_file_goes_to_browsers_that_understand_it(built: Path) -> None:
    """The networks would be three times as large otherwise."""
    client = client_of(built)
    packed = client.get("/m/main-ABCD2345.js", headers={"Accept-Encoding": "gzip, br"})
    plain = client.get("/m/main-ABCD2345.js", headers={"Accept-Encoding": "gzip, br;q=0"})

    assert packed.headers["Content-Encoding"] == "br"
    assert packed.headers["Content-Length"] == "6"
    assert plain.text == "plain"
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


def test_only_names_that_hold_a_digest_are_kept_for_good(built: Path) -> None:
    """A page kept for good could never be changed; a service worker neither."""
    client = client_of(built)

    assert "immutable" in client.get("/m/main-ABCD2345.js").headers["Cache-Control"]
    assert client.get("/m").headers["Cache-Control"] == "no-cache"
    assert client.get("/m/sw.js").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("address", ["/m/index.html", "/m/../page.py", "/m/package.json"])
def test_nothing_but_the_page_is_served(built: Path, address: str) -> None:
    """Files are listed when the service starts; an address is looked up there, not on disk."""
    assert client_of(built).get(address).status_code == 404


@pytest.mark.parametrize(
    ("accept_templates", "extractor", "sends_pictures"),
    [(True, "palmnet-3", False), (False, "palmnet-3", True), (True, "other-2", True)],
)
def test_the_page_knows_whether_pictures_are_wanted(
    built: Path, *, accept_templates: bool, extractor: str, sends_pictures: bool
) -> None:
    """Where the operator refuses templates, or has another extractor, no template is made."""
    client = client_of(built, accept_templates=accept_templates, extractor=extractor)

    assert ("data-pictures" in client.get("/m").text) is sends_pictures
