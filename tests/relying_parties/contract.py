"""What every library of relying apps must be able to do with the provider, unmodified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.relying_parties.stage import approve, decline

if TYPE_CHECKING:
    from tests.relying_parties.stage import App, Stage


@pytest.mark.libraries
@pytest.mark.journey
@pytest.mark.hands
class LibraryContract:
    """Four stories; the fixture ``app`` gives a relying app built on the library.

    Attributes:
        tells_errors: whether the library hands the provider's errors on.
    """

    tells_errors = True

    def test_a_person_logs_in(self, stage: Stage, app: App) -> None:
        """Code flow, ID token, userinfo, and a refresh where the library has one."""
        learned = stage.log_in(app, approve)["learned"]

        claims = stage.check_learned(learned, app.client_id)
        assert ("refreshed" in learned) == app.refreshes
        if app.refreshes:
            refreshed = stage.check_learned(learned["refreshed"], app.client_id)
            assert refreshed["sub"] == claims["sub"]
            assert refreshed["auth_time"] == claims["auth_time"], "Core §12.2"
            assert refreshed["jti"] != claims["jti"], "the first ID token once more"

    def test_the_same_person_again(self, stage: Stage, app: App) -> None:
        """The app asks for one person with ``user_id``, a parameter of this provider alone."""
        first = stage.log_in(app, approve)["learned"]["subject"]
        again = stage.log_in(app, approve, user_id=first)["learned"]

        assert stage.check_learned(again, app.client_id)["sub"] == first

    def test_a_person_declines(self, stage: Stage, app: App) -> None:
        """The library understands that nobody logged in, and why. RFC 6749 §4.1.2.1."""
        refused = stage.log_in(app, decline)["refused"]

        assert refused["description"]
        if self.tells_errors:
            assert refused["error"] == "access_denied"
            assert "declined" in refused["description"]

    def test_a_user_id_of_nobody(self, stage: Stage, app: App) -> None:
        """A refused request comes back to the library at once, as an error."""
        refused = stage.log_in(app, approve, user_id="nobody")["refused"]

        assert refused["description"]
        if self.tells_errors:
            assert refused["error"] == "invalid_request"
