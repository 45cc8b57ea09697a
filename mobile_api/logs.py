"""What goes into the log: paths without their queries, faults without their words."""

from __future__ import annotations

import logging
from typing import Final

ACCESS_LOG: Final = "uvicorn.access"

PATH: Final = 2
"""Position of the path among the arguments of a line of the access log."""


class PathOnly(logging.Filter):
    """Cuts the query off each line of the access log: it may hold a pseudonym or a state."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the line, and let it pass."""
        if isinstance(record.args, tuple) and len(record.args) > PATH:
            path = str(record.args[PATH]).partition("?")[0]
            record.args = (*record.args[:PATH], path, *record.args[PATH + 1 :])
        return True


def set_up() -> None:
    """Log warnings of everybody, and the access log without queries."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger(ACCESS_LOG).addFilter(PathOnly())
