"""Relying apps on Node: openid-client, oidc-client-ts, two for Express, Auth.js.

One is held to the FAPI 2.0 Security Profile: pushed, proved, bound.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import node_packages
from tests.relying_parties.contract import LibraryContract
from tests.relying_parties.program import Library, Program
from tests.relying_parties.stage import Stage

HERE = Path(__file__).parent

LIBRARIES = (
    Library("openid_client", signs_out=True),
    Library("openid_client", signs_out=True, authentication="private_key_jwt"),
    Library("openid_client_fapi", authentication="private_key_jwt", profile="fapi2"),
    Library("oidc_client_ts", signs_out=True, authentication="none"),
    Library("express_openid_connect", has_pages=True, signs_out=True, hears_logouts=True),
    Library("passport_openidconnect", has_pages=True, refreshes=False),
    Library("auth_core", has_pages=True, refreshes=False),
)


@pytest.fixture(scope="module")
def node() -> str:
    """Give the program ``node``, if it and the packages are there."""
    missing = node_packages.what_is_missing(HERE)
    if missing:
        pytest.skip(missing)
    return node_packages.NODE


@pytest.fixture(scope="class", params=LIBRARIES, ids=str)
def app(
    request: pytest.FixtureRequest,
    node: str,
    stage: Stage,
    own_redirect_uri: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Program]:
    """Give a relying app built on each library."""
    library: Library = request.param
    folder = tmp_path_factory.mktemp(library.name)
    if library.authentication != "client_secret":
        settings = stage.register(library.authentication, library.profile, folder)
    elif library.hears_logouts:
        path = "/backchannel-logout"
        settings = stage.register_for_logouts(library.name, own_redirect_uri, path)
    else:
        registered = stage.party.registration.redirect_uri
        settings = stage.settings(own_redirect_uri if library.has_pages else registered)
    command = [node, str(HERE / f"{library.name}.mjs")]
    with Program(command, settings, library, folder / "complaints.log") as program:
        yield program


class TestNodeLibraries(LibraryContract):
    """Each library in turn."""
