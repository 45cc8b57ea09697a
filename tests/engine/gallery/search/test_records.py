"""records: what a reader sees while the arrays grow, and the order of a group."""

import numpy as np

from engine.gallery.rows import Records
from tests.support.palms.templates import FAKE_DIMENSION, group_id, reference_of


def filled() -> Records:
    """Three references of one group and one of another."""
    records = Records(FAKE_DIMENSION)
    slots = records.reserve(4)
    records.fill(slots, [reference_of(n, group=n // 3) for n in range(4)], [0, 0])
    records.publish(slots, 1)
    return records


def test_a_group_keeps_the_order_of_enrolment() -> None:
    """An erasure takes one slot out; the slot that is used again comes last."""
    records = filled()
    records.erase(0)
    slots = records.reserve(1)
    records.fill(slots, [reference_of(9, group=0)], [0, 0])
    records.publish(slots, 2)

    assert slots.tolist() == [0]
    assert records.of_group(group_id(0).bytes) == (1, 2, 0)
    records.erase(3)
    assert records.of_group(group_id(1).bytes) == ()


def test_a_reader_of_an_array_that_is_replaced_reads_on() -> None:
    """The full array stays unchanged; the larger copy begins with the same rows."""
    records = filled()
    vectors, before = records.vectors, records.vectors.copy()
    records.reserve(len(vectors))

    assert len(records.vectors) > len(vectors)
    assert np.array_equal(vectors, before)
    assert np.array_equal(records.vectors[: len(before)], before)
