"""The vectors of a rotated gallery are useless without the key."""

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import TemplateRefused
from engine.gallery.protection import RotatedGallery, VectorRotation
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.types import Hand
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    group_id,
    reference_of,
    template_of,
)

OLD, NEW = (
    VectorRotation(bytes(range(32)), FAKE_DIMENSION),
    VectorRotation(bytes(32), FAKE_DIMENSION),
)


def test_what_is_rotated_comes_back_within_the_rounding() -> None:
    """Nothing is lost, however often a key is renewed."""
    template = template_of(1)
    rotated = template
    for _ in range(20):
        rotated = NEW.rotate_back(NEW.rotate([rotated]))[0]

    assert np.abs(rotated.vector - template.vector).max() < 1e-5
    assert np.array_equal(rotated.code, template.code)


def test_probes_are_rotated_and_references_come_back() -> None:
    """References are held as they are stored; callers see original vectors."""
    inner = MemoryGallery(FAKE_EXTRACTOR, FAKE_DIMENSION)
    gallery, plain = RotatedGallery(inner, OLD), reference_of(1, group=1)
    inner.enrol([replace(plain, template=OLD.rotate([plain.template])[0])])

    (kept,), (outside,) = inner.references_of(group_id(1)), gallery.references_of(group_id(1))

    assert float(kept.template.vector @ plain.template.vector) < 0.8
    assert np.allclose(outside.template.vector, plain.template.vector, atol=1e-3)
    assert gallery.search([plain.template])[0].group_id == group_id(1)
    assert (len(gallery), gallery.row_count(Hand.LEFT)) == (1, 1)


def test_a_vector_of_another_size_is_refused() -> None:
    """A matrix product would raise an error that no caller catches."""
    short = replace(template_of(1), vector=np.eye(1, 8, dtype=np.float32)[0])

    with pytest.raises(TemplateRefused):
        NEW.rotate([short])


def test_nothing_rotated_is_nothing() -> None:
    """An empty batch is no fault."""
    assert OLD.rotate([]) == OLD.rotate_back([]) == []
