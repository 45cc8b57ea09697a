"""records: a reader who is led astray by a change comes to an end."""

from __future__ import annotations

import numpy as np

from engine.gallery.rows.records import Records
from tests.support.palms.templates import FAKE_DIMENSION, group_id, reference_of


def filled() -> Records:
    """Three references of one group and one of another."""
    records = Records(FAKE_DIMENSION)
    slots = records.reserve(4)
    records.fill(slots, [reference_of(n, group=n // 3) for n in range(4)], [0, 0])
    records.publish(slots, 1)
    return records


def test_a_group_is_a_ring_from_wherever_it_is_entered():
    """The short list holds any one of a person's references; all of them count."""
    records = filled()

    assert records.of_group(group_id(0).bytes) == records.ring(0) == [0, 1, 2]
    assert records.ring(1) == [1, 2, 0]
    assert records.ring(3) == [3]


def test_a_ring_that_does_not_come_back_ends():
    """A slot that has left its ring still points into it: the search must not go round."""
    records = filled()
    records._next[2] = 1

    assert records.ring(0) == [0, 1, 2]
    records._next[2] = 3
    assert records.ring(0) == [0, 1, 2]
    records._next[2] = -1
    assert records.ring(0) == [0, 1, 2]


def test_an_erased_slot_knows_nothing_any_more():
    """The slot is used again; what was in it must not shine through."""
    records = filled()
    records.erase(1)

    assert records.of_group(group_id(0).bytes) == [0, 2]
    assert not records.vectors[1].any()
    assert not records.ids[1].any()
    assert records.reserve(1).tolist() == [1]
    records.release(np.array([1]))
    assert records.reserve(2).tolist() == [1, 4]
