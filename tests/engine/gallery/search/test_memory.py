"""memory: advice changes no content, and none is given where none is taken."""

from __future__ import annotations

import ctypes

import numpy as np

from engine.gallery.rows.memory import trim_memory, use_large_pages


def test_advice_changes_nothing_but_speed():
    """Arrays that begin anywhere, and ones smaller than a page."""
    for size, first in ((1 << 22, 1), (100, 3)):
        octets = np.arange(size, dtype=np.uint8)[first:]
        use_large_pages(octets)
        trim_memory()

        assert np.array_equal(octets, np.arange(size, dtype=np.uint8)[first:])


def test_a_system_without_these_calls_is_left_alone(monkeypatch):
    """Another C library has neither."""
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())

    use_large_pages(np.zeros(10_000, np.uint8))
    trim_memory()
