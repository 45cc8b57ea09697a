"""What every library of relying apps must be able to do with the provider, unmodified."""

import pytest

from tests.relying_parties.stage import App, Stage, approve, decline
from tests.support.at_once import wait_until
from tests.support.service.headless_browser import Browser, Callback


@pytest.mark.libraries
class LibraryContract:
    """Five stories; the fixture ``app`` gives a relying app built on the library.

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
        """The library understands that the login failed, and why. RFC 6749 §4.1.2.1."""
        refused = stage.log_in(app, decline)["refused"]

        assert refused["description"]
        if self.tells_errors:
            assert refused["error"] == "access_denied"
            assert "declined" in refused["description"]

    def test_a_person_signs_out(self, stage: Stage, app: App) -> None:
        """By the app: the browser comes back to it, and the provider has forgotten the palm.

        OpenID Connect RP-Initiated Logout 1.0.
        """
        if not app.signs_out:
            pytest.skip("the library cannot sign people out at a provider")
        with Browser(app.redirect_uri) as browser:
            stage.begin_session(app, browser)

            browser.stop_at = app.post_logout_redirect_uri
            there = browser.visit(app.leave())
            assert isinstance(there, Callback)
            app.return_from_logout(there.url)

            assert not stage.is_signed_in(app, browser)

    def test_an_app_is_notified_that_the_person_signed_out(
        self, stage: Stage, app: App
    ) -> None:
        """The person signs out at the provider, and the app's own session ends.

        OpenID Connect Back-Channel Logout 1.0: the library verifies the logout token.
        """
        if not app.hears_logouts:
            pytest.skip("the library cannot receive logouts of other apps")
        with Browser(app.redirect_uri) as browser:
            learned = stage.begin_session(app, browser)
            sid = stage.claims_of(learned["id_token"])["sid"]
            assert not app.is_ended(stage.notices_of(sid), browser)

            stage.sign_out_at_the_provider(browser)

            wait_until(lambda: app.is_ended(stage.notices_of(sid), browser))
