"""openid-client under the FAPI 2.0 Security Profile, unmodified."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from joserfc.jwk import ECKey

from tests.relying_parties import node_packages
from tests.relying_parties.contract import LibraryContract
from tests.relying_parties.conversation import Refused, Settings
from tests.relying_parties.program import Library, Program
from tests.relying_parties.stage import App, Stage

HERE = Path(__file__).parent


@pytest.fixture(scope="class")
def app(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Give a relying app that is held to the profile."""
    missing = node_packages.what_is_missing()
    if missing:
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("fapi")
    key = ECKey.generate_key("P-256", auto_kid=True)
    published = folder / "jwks.json"
    published.write_text(json.dumps({"keys": [key.as_dict(private=False)]}))
    uri = stage.party.registration.redirect_uri
    options = ("--authentication", "private_key_jwt", "--profile", "fapi2")
    added = stage.world.service.add_client("fapi", uri, *options, "--jwks", str(published))
    settings = Settings(stage.party.issuer, added.client_id, "", uri, key.as_dict(private=True))
    library = Library("openid_client_fapi", authentication="private_key_jwt")
    command = [node_packages.program("node"), str(HERE / "openid_client_fapi.mjs")]
    with Program(command, settings, library, folder / "complaints.log") as program:
        yield program


class TestFapiLibrary(LibraryContract):
    """Pushed, proved, bound: the same stories."""

    def test_a_user_id_of_nobody(self, stage: Stage, app: App) -> None:
        """The push is refused, before any browser is sent anywhere. RFC 9126 §2.3."""
        with pytest.raises(Refused) as refused:
            app.begin({"user_id": "nobody"})

        assert refused.value.args[0] == "invalid_request"
