"""memory: advice changes no content, and none is given where none is taken."""

import ctypes

import numpy as np

from engine.gallery.rows import trim_memory, use_large_pages


def test_a_system_without_these_calls_is_left_alone(monkeypatch):
    """Another C library has neither."""
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())

    use_large_pages(np.zeros(10_000, np.uint8))
    trim_memory()
