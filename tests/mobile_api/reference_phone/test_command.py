"""``thenar phone``: what a person without a phone types."""

import socket
from pathlib import Path
from uuid import UUID

import pytest
from typer.testing import CliRunner

from mobile_api.reference_phone.command import app
from oidc.types import AccountId
from tests.mobile_api.reference_phone.conftest import MAYA, OMAR, Terminal
from tests.support.palms.drawn_palms import photo
from tests.support.palms.fake_engine import BACK
from tests.support.service.handoff import handle_of, link


def test_enrolling_shows_the_text_and_asks(terminal: Terminal) -> None:
    """Consent is given by a person, not by a default."""
    refused = terminal.enrol(typed="n\n")
    before = terminal.world.rows("accounts")
    agreed = terminal.enrol(typed="y\n")

    assert refused.exit_code == 1
    assert "\nWhat apps learn\n" in refused.output
    assert before == 0
    assert agreed.exit_code == 0
    assert "2 of the right one" in agreed.output


def test_the_phone_registers_itself_once(terminal: Terminal) -> None:
    """A newcomer needs one command less."""
    first, second = terminal.enrol("--agree"), terminal.phone("register")

    assert "is now registered" in first.output
    assert "is now registered" not in second.output
    assert "Device " in second.output


@pytest.mark.parametrize(("typed", "state"), [("y\n", "approved"), ("n\n", "declined")])
def test_without_a_flag_the_person_is_asked_about_this_client(
    maya: Terminal, typed: str, state: str
) -> None:
    """The question names who asks."""
    link, palm = maya.link(), maya.palm(MAYA, 9)
    done = maya.phone("answer", link, *palm, typed=typed)

    assert "Sign in to Bookshop?" in done.output
    assert done.exit_code == 0
    assert maya.world.handoff.state_of() == state


def test_three_pictures_at_a_time_are_tried_until_they_match(maya: Terminal) -> None:
    """Each failure comes with what to do about it; one bad picture spoils no other."""
    backs, omars = maya.palm(MAYA, 5, defect=BACK), maya.palm(OMAR)
    palms = backs * 3 + omars * 3 + backs + maya.palm(MAYA, 9)
    done = maya.phone("answer", maya.link(), *palms, "--approve")

    assert done.exit_code == 0
    assert "Show your palm" in done.output
    assert "2 attempts left" in done.output
    assert "Go back to your computer" in done.output


def test_an_unenrolled_palm_ends_with_an_explanation(maya: Terminal) -> None:
    """Exit status 1, and what to do."""
    once = maya.phone("answer", maya.link(), *maya.palm(OMAR), "--approve")
    link = maya.link()
    locked = maya.phone("answer", link, *(maya.palm(OMAR) * 9), "--approve")
    over = maya.phone("answer", link, *maya.palm(MAYA), "--approve")

    assert (once.exit_code, locked.exit_code, over.exit_code) == (1, 1, 1)
    assert "Run the command again" in once.output
    assert "other hand" in locked.output
    assert "Run the command again" not in locked.output
    assert "No palm was recognised" in over.output


def test_enrolling_names_the_pictures_that_were_left_out(terminal: Terminal) -> None:
    """Two good ones are enough."""
    palms = (
        terminal.palm(MAYA, 0) + terminal.palm(MAYA, 1, defect=BACK) + terminal.palm(OMAR)
    ) + terminal.palm(MAYA, 2)
    done = terminal.phone("enrol", "--api", f"{terminal.url}/mobile/v1", "--agree", *palms)

    assert done.exit_code == 0
    assert "back of your hand" in done.output
    assert done.output.count("matches no other picture yet") == 1
    assert "2 of the right one" in done.output


def test_deleting_asks_once_more_and_wants_the_palm(maya: Terminal) -> None:
    """For good is for good."""
    palm = maya.palm(MAYA, 9)
    kept = maya.phone("delete", *palm, typed="n\n")
    foreign = maya.phone("delete", *maya.palm(OMAR), "--yes")
    before = maya.world.rows("accounts")
    done = maya.phone("delete", *palm, typed="y\n")

    assert (kept.exit_code, foreign.exit_code, done.exit_code) == (1, 1, 0)
    assert "does not belong to this phone's account" in foreign.output
    assert (before, maya.world.rows("accounts")) == (1, 0)


def test_a_service_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    """No traceback."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        api = f"http://127.0.0.1:{taken.getsockname()[1]}/mobile/v1"
        state = str(tmp_path / "p.json")
        done = CliRunner().invoke(app, ["register", "--state", state, "--api", api])

    assert done.exit_code == 1
    assert done.output == "the service does not respond\n"


@pytest.mark.hands
def test_a_template_is_made_here_and_the_picture_stays(
    terminal: Terminal, tmp_path: Path
) -> None:
    """With real networks on the phone's side; an unknown phone has to send pictures."""
    hand = tmp_path / "hand.jpg"
    hand.write_bytes(photo(7))
    link = terminal.link()
    twice = ["--palm", str(hand)] * 2
    refused = terminal.phone("answer", link, *twice, "--send", "template")
    blank = terminal.phone("answer", link, *terminal.palm(MAYA), "--send", "template")

    assert refused.exit_code == blank.exit_code == 1
    assert "use --send picture" in refused.output
    assert "No palm was found" in blank.output


def test_apps_that_know_a_person_are_listed_and_one_is_withdrawn(maya: Terminal) -> None:
    """By a palm each time; what is left is counted."""
    account = AccountId(UUID(str(maya.world.row("SELECT account FROM accounts")[0])))
    unenrolled = maya.phone("apps", *maya.palm(MAYA, 3))
    link(maya.world.provider, maya.world.clock, account, "bank")
    handle = handle_of(maya.world.interface, account, "bank")
    listed = maya.phone("apps", *maya.palm(MAYA, 4))
    withdrawn = maya.phone("withdraw", handle, *maya.palm(MAYA, 5))
    again = maya.phone("withdraw", handle, *maya.palm(MAYA, 6))

    assert "No apps are connected" in unenrolled.output
    assert handle in listed.output
    assert "bank.example" in listed.output
    assert "Disconnected. 0 left." in withdrawn.output
    assert again.exit_code == 1
    assert "You are not connected to this app" in again.output


def test_a_sign_in_can_be_reported(maya: Terminal) -> None:
    """For a person who was sent a link; the place of the request is shown."""
    link = maya.link()
    answered = maya.phone("answer", link, "--decline", *maya.palm(MAYA, 3))
    shown = maya.world.handoff.outcome()
    reported = maya.phone("report", maya.link())

    assert answered.exit_code == 0
    assert "from Firefox on Windows, on an unknown network" in answered.output
    assert "Nothing was shared" in answered.output
    assert shown is None  # no picture leaves the phone for a no
    assert "Reported" in reported.output


def test_the_code_for_the_computer_is_shown(maya: Terminal) -> None:
    """After the palm and the yes."""
    maya.world.handoff.asks_code = True
    answered = maya.phone("answer", maya.link(), "--approve", *maya.palm(MAYA, 3))

    assert "Type this code" in answered.output
    assert "0481" in answered.output
