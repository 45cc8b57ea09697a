"""Faults that no sign-in ends by: each play lists its cases, and what came of them."""

from tests.phone_page.modules import Modules


def test_a_fault_that_passes_ends_nothing(modules: Modules) -> None:
    """A service that is away for a moment, an answer cut off, networks that fail."""
    for play in ("client", "palm"):
        assert modules.call(f"../../tests/phone_page/{play}.mjs", "surprises") == []
