"""What must not reach a log does not."""

from __future__ import annotations

import logging

from mobile_api.logs import PathOnly


def test_the_access_log_shows_no_query() -> None:
    """An authorization request carries user_id, state and nonce in its query."""
    record = logging.LogRecord(
        "uvicorn.access",
        logging.INFO,
        __file__,
        1,
        '%s - "%s %s HTTP/%s" %d',
        ("127.0.0.1:5", "GET", "/oauth/authorize?user_id=pseudonym", "1.1", 302),
        None,
    )

    assert PathOnly().filter(record)
    assert record.getMessage() == '127.0.0.1:5 - "GET /oauth/authorize HTTP/1.1" 302'


def test_other_lines_pass_unchanged() -> None:
    """A filter that fails would silence the log."""
    record = logging.LogRecord("uvicorn.access", logging.INFO, __file__, 1, "ready", None, None)

    assert PathOnly().filter(record)
    assert record.getMessage() == "ready"
