"""What lies behind a turned gallery is of no use without the key."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import TemplateRefused
from engine.gallery.protection.rotated_gallery import RotatedGallery, VectorRotation
from engine.gallery.search.exact import ExactGallery
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


def test_what_is_turned_comes_back_within_the_rounding() -> None:
    """Nothing is lost, however often a key is renewed."""
    template = template_of(1)
    turned = template
    for _ in range(20):
        turned = NEW.rotate_back(NEW.rotate([turned]))[0]

    assert np.abs(turned.vector - template.vector).max() < 1e-5
    assert np.array_equal(turned.code, template.code)


def test_cosines_are_kept() -> None:
    """Accuracy is that of the extractor: scores change by less than 1e-5."""
    templates = [template_of(palm) for palm in range(50)]
    plain = np.stack([t.vector for t in templates])
    turned = np.stack([t.vector for t in NEW.rotate(templates)])

    assert np.abs(plain @ plain.T - turned @ turned.T).max() < 1e-5


def test_the_gallery_behind_never_sees_a_true_vector() -> None:
    """Its memory and its files hold turned ones only."""
    behind = ExactGallery(FAKE_EXTRACTOR, FAKE_DIMENSION)
    gallery = RotatedGallery(behind, OLD)
    reference = reference_of(1, group=1)
    gallery.enrol([reference])

    (kept,), (outside,) = behind.all_references(), gallery.references_of(group_id(1))

    assert float(kept.template.vector @ reference.template.vector) < 0.8
    assert np.allclose(outside.template.vector, reference.template.vector, atol=1e-6)


def test_vectors_under_an_old_key_find_nobody_under_a_new_one() -> None:
    """Renewal: a vector that leaked before is a stranger's afterwards."""
    behind = ExactGallery(FAKE_EXTRACTOR, FAKE_DIMENSION)
    gallery = RotatedGallery(behind, NEW)
    gallery.enrol([reference_of(palm, group=palm) for palm in range(300)])
    vectors = np.stack([r.template.vector for r in behind.all_references()])

    leaked = np.stack([t.vector for t in OLD.rotate([template_of(p) for p in range(300)])])
    ranks = [(row > row[palm]).sum() for palm, row in enumerate(leaked @ vectors.T)]

    assert 100 < np.mean(ranks) < 200  # by chance: 150


def test_a_vector_of_another_size_is_refused() -> None:
    """A matrix product would raise something nobody catches."""
    short = replace(template_of(1), vector=np.eye(1, 8, dtype=np.float32)[0])

    with pytest.raises(TemplateRefused):
        NEW.rotate([short])


def test_nothing_turned_is_nothing() -> None:
    """An empty batch is no fault."""
    assert OLD.rotate([]) == OLD.rotate_back([]) == []
