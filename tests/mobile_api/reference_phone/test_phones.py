"""``thenar phone status|trust|…``: what a person types about the phones of an account."""

import re

from typer.testing import Result

from tests.mobile_api.reference_phone.conftest import MAYA, Terminal

CODE = re.compile(r"(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}")


def ask(terminal: Terminal, shot: int = 5) -> Result:
    """Ask for trust on a phone that Maya bought."""
    return terminal.phone("trust", *terminal.api, *terminal.palm(MAYA, shot), state="new")


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
