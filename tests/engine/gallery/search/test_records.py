"""records: a reader who is led astray by a change comes to an end."""

from engine.gallery.rows.records import Records
from tests.support.palms.templates import FAKE_DIMENSION, reference_of


def filled() -> Records:
    """Three references of one group and one of another."""
    records = Records(FAKE_DIMENSION)
    slots = records.reserve(4)
    records.fill(slots, [reference_of(n, group=n // 3) for n in range(4)], [0, 0])
    records.publish(slots, 1)
    return records


def test_a_ring_that_does_not_come_back_ends():
    """A slot that has left its ring still points into it: the search must not go round."""
    records = filled()
    records._next[2] = 1

    assert records.ring(0) == [0, 1, 2]
    records._next[2] = 3
    assert records.ring(0) == [0, 1, 2]
    records._next[2] = -1
    assert records.ring(0) == [0, 1, 2]
