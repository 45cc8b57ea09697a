"""What ends a benchmark with a message instead of a traceback."""

from __future__ import annotations


class BenchmarkFault(Exception):
    """The benchmark cannot be run as asked."""
