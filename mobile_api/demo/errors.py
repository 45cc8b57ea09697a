"""Errors that stop the demo."""


class DemoError(Exception):
    """The demo cannot start; the message says what to do."""
