"""Errors that end a benchmark with a message instead of a traceback."""


class BenchmarkFault(Exception):
    """The benchmark cannot be run as asked."""
