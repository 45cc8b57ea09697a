"""``thenar phone``: what a person without a phone types."""

import re
import socket
from enum import StrEnum
from pathlib import Path
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from engine.types import QualityReason
from mobile_api.reference_phone.command import app
from mobile_api.reference_phone.words import WORDS
from mobile_api.types import ChallengeFailure, NoticeKind, PhoneTrust, TrustWay
from oidc.types import AccountId, Network, NextStep
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


@pytest.mark.parametrize(("typed", "state"), [("y\n", "approved"), ("n\n", "declined")])
def test_without_a_flag_the_person_is_asked_about_this_client(
    maya: Terminal, typed: str, state: str
) -> None:
    """The question names who asks."""
    done = maya.phone("answer", maya.link(), *maya.palm(MAYA, 9), typed=typed)

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
        done = CliRunner().invoke(app, ["--state", state, "--api", api, "register"])

    assert done.exit_code == 1
    assert done.output == "the service does not respond\n"


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


@pytest.mark.parametrize(
    ("section", "values"),
    [
        ("reasons", QualityReason),
        ("failures", ChallengeFailure),
        ("hints", NextStep),
        ("trust", PhoneTrust),
        ("trust_ways", TrustWay),
        ("notices", NoticeKind),
        ("networks", Network),
    ],
)
def test_every_value_that_is_sent_has_a_sentence(section: str, values: type[StrEnum]) -> None:
    """A new one must not end in a traceback on the phone."""
    assert set(WORDS[section]) == set(values)


CODE = re.compile(r"(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}")


def ask(terminal: Terminal, shot: int = 5) -> Result:
    """Ask for trust on a phone that Maya bought."""
    return terminal.phone("trust", *terminal.palm(MAYA, shot), state="new")


def handle_asking(terminal: Terminal) -> str:
    """Return the handle of the phone that asks, as the trusted phone prints it."""
    shown = terminal.phone("status").output
    assert "asks to be trusted, since 2026-11-20." in shown
    assert "it can become trusted in 72 hours" in shown
    return shown.splitlines()[-1].split()[0]


def test_a_new_phone_asks_and_a_trusted_one_approves(maya: Terminal) -> None:
    """Each answer names the next command."""
    asked = ask(maya)
    approved = maya.phone("approve", handle_asking(maya), *maya.palm(MAYA, 6))
    listed = maya.phone("phones", *maya.palm(MAYA, 7), state="new")
    reported = maya.phone("status")

    assert "This phone is new" in asked.output
    assert "again in 72 hours" in asked.output
    assert approved.output.count("trusted") == 2
    assert "this phone" in listed.output
    assert "No sign-ins in the last 90 days" in listed.output
    assert "This phone is trusted" in reported.output
    assert "Your account trusts one more phone" in reported.output


def test_a_recovery_code_is_given_once_and_works_once(maya: Terminal) -> None:
    """A new one ends the one before."""
    given = [maya.phone("recovery-code", *maya.palm(MAYA, shot)) for shot in (3, 4)]
    first, second = (CODE.findall(each.output)[0] for each in given)
    asked, palm = ask(maya), maya.palm(MAYA, 6)
    wrong = maya.phone("recover", first, *palm, state="new")
    right = maya.phone("recover", second.lower(), *palm, state="new")

    assert "cannot be shown again" in given[0].output
    assert "Run `thenar phone recover CODE`" in asked.output
    assert wrong.exit_code == 1
    assert "not the recovery code" in wrong.output
    assert "This phone is trusted" in right.output


def test_each_command_about_apps_phones_and_sign_ins_does_what_it_says(maya: Terminal) -> None:
    """By one flow: the rules of each are tested over HTTP."""
    account = AccountId(UUID(str(maya.world.row("SELECT account FROM accounts")[0])))
    link(maya.world.provider, maya.world.clock, account, "bank")
    handle = handle_of(maya.world.interface, account, "bank")
    said = [maya.phone("apps", *maya.palm(MAYA, 3))]
    said += [maya.phone("withdraw", handle, *maya.palm(MAYA, shot)) for shot in (4, 5)]
    said += [maya.phone("report", maya.link())]
    ask(maya, 6)
    said += [maya.phone("refuse", handle_asking(maya))]
    ask(maya, 7)
    said += [maya.phone("remove", handle_asking(maya), *maya.palm(MAYA, 8), "--end-sign-ins")]
    said += [maya.phone("status", state="new")]

    assert [each.exit_code for each in said] == [0, 0, 1, 0, 0, 0, 0]
    words = "bank.example", "0 left", "not connected", "Reported", "", "Removed.", "no account"
    missing = [word for word, each in zip(words, said, strict=True) if word not in each.output]
    assert missing == []
