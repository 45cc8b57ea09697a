"""Every fault the engine raises.

::

    EngineError
    ├── SampleRefused            the bytes are no picture we are willing to decode
    │   ├── SampleTooLarge       too many bytes or too many pixels
    │   └── SampleUnreadable     not JPEG, PNG or WebP, or damaged
    ├── PresentationAttack       a picture of an artefact that shows a palm (ISO/IEC 30107-1)
    ├── FailureToAcquire         a picture, but no template (ISO/IEC 19795-1: counts into FTA)
    │   ├── PalmNotFound         no hand, or not certain enough
    │   ├── BackOfHand           a hand, but not its palm
    │   └── QualityTooLow        a palm, but not good enough; carries a ``QualityReason``
    ├── TemplateRefused          bytes or numbers that are no valid template
    │   └── CodeRefused          a code that no palm can have given
    ├── ExtractorMismatch        templates of two extractors, or of two sides, were compared
    ├── GalleryFault             the gallery cannot do what was asked
    │   ├── DuplicateReference   a reference identifier is already enrolled
    │   ├── UnknownReference     no such reference
    │   ├── GalleryUnreachable   the server that holds the gallery does not do what is asked
    │   └── DirectoryFault       the directory of a gallery cannot be used
    │       ├── DirectoryInUse       another process owns it
    │       ├── DirectoryFull        there is no room on the disk
    │       ├── DirectoryDamaged     what was read is not what was written
    │       └── ForeignGallery       it is not this gallery's
    │           ├── ForeignFile      no file of a gallery at all
    │           ├── ForeignVersion   written in another format
    │           ├── ForeignKey       written under another key
    │           └── ForeignModel     of another extractor, dimension or packing
    ├── CalibrationFault         no threshold can be given for this extractor or rate
    └── ModelFault               an ONNX file is missing, damaged or not the one in the manifest

Each class has a stable ``code`` that interfaces may show. No message holds a path of a
person's picture, a score or a template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from engine.types import QualityReason


class EngineError(Exception):
    """Any fault of the engine."""

    code: ClassVar[str] = "engine_error"


class SampleRefused(EngineError):
    """The bytes are no picture we are willing to decode."""

    code = "sample_refused"


class SampleTooLarge(SampleRefused):
    """Too many bytes or too many pixels."""

    code = "sample_too_large"


class SampleUnreadable(SampleRefused):
    """Not JPEG, PNG or WebP, or damaged."""

    code = "sample_unreadable"


class PresentationAttack(EngineError):
    """The sample shows an artefact, not a bona fide palm. ISO/IEC 30107-1."""

    code = "presentation_attack"


class FailureToAcquire(EngineError):
    """A picture that gives no template. ISO/IEC 19795-1: counts into FTA."""

    code = "failure_to_acquire"


class PalmNotFound(FailureToAcquire):
    """No hand in the picture, or not certain enough that there is one."""

    code = "palm_not_found"


class BackOfHand(FailureToAcquire):
    """The hand shows its back."""

    code = "back_of_hand"


class QualityTooLow(FailureToAcquire):
    """A palm, but not good enough.

    Args:
        reason: the first gate that failed; the phone turns it into an instruction.
    """

    code = "quality_too_low"

    def __init__(self, reason: QualityReason) -> None:
        super().__init__(f"quality too low: {reason.value}")
        self.reason = reason


class TemplateRefused(EngineError):
    """Bytes or numbers that are no valid template."""

    code = "template_refused"


class CodeRefused(TemplateRefused):
    """A code that no palm can have given. Outside it is told as any other."""


class ExtractorMismatch(EngineError):
    """Templates of two extractors or of two sides of the body were to be compared."""

    code = "extractor_mismatch"


class GalleryFault(EngineError):
    """The gallery cannot do what was asked."""

    code = "gallery_fault"


class DuplicateReference(GalleryFault):
    """A reference identifier is already enrolled."""

    code = "duplicate_reference"


class UnknownReference(GalleryFault):
    """No reference has this identifier."""

    code = "unknown_reference"


class GalleryUnreachable(GalleryFault):
    """The server that holds the gallery does not answer, or does not do what is asked."""

    code = "gallery_unreachable"


class DirectoryFault(GalleryFault):
    """The directory of a gallery cannot be used."""

    code = "gallery_directory_fault"


class DirectoryInUse(DirectoryFault):
    """Another process owns the directory."""

    code = "gallery_in_use"


class DirectoryFull(DirectoryFault):
    """There is no room left where the directory is."""

    code = "gallery_disk_full"


class DirectoryDamaged(DirectoryFault):
    """What was read is not what was written."""

    code = "gallery_damaged"


class ForeignGallery(DirectoryFault):
    """The files are sound, as far as can be told, but of another gallery."""

    code = "gallery_foreign"


class ForeignFile(ForeignGallery):
    """The file is none of a gallery."""

    code = "gallery_foreign_file"


class ForeignVersion(ForeignGallery):
    """The files are written in a format that this program does not know."""

    code = "gallery_foreign_version"


class ForeignKey(ForeignGallery):
    """The files are written under another key."""

    code = "gallery_foreign_key"


class ForeignModel(ForeignGallery):
    """The rows are of another extractor, dimension or packing."""

    code = "gallery_foreign_model"


class CalibrationFault(EngineError):
    """No threshold can be given for this extractor or rate."""

    code = "calibration_fault"


class ModelFault(EngineError):
    """An ONNX file is missing, damaged or not the one in the manifest."""

    code = "model_fault"
