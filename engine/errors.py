"""Every fault the engine raises.

::

    EngineError
    ├── SampleRefused
    │   ├── SampleTooLarge
    │   └── SampleUnreadable
    │       └── SampleCmyk
    ├── PresentationAttack       ISO/IEC 30107-1
    ├── FailureToAcquire         ISO/IEC 19795-1: counts into FTA
    │   ├── PalmNotFound
    │   ├── BackOfHand
    │   └── QualityTooLow
    ├── TemplateRefused
    │   └── CodeRefused
    ├── ExtractorMismatch
    ├── GalleryFault
    │   ├── DuplicateReference
    │   ├── UnknownReference
    │   ├── GalleryUnreachable
    │   └── DirectoryFault
    │       ├── DirectoryInUse
    │       ├── DirectoryFull
    │       ├── DirectoryDamaged
    │       └── ForeignGallery
    ├── CalibrationFault
    ├── KernelFault
    └── ModelFault

Each class has a stable ``code`` for interfaces. No message holds a picture's file name, a score
or a template.
"""

from typing import ClassVar

from engine.types import QualityReason


class EngineError(Exception):
    """Base class of the engine's faults."""

    code: ClassVar[str] = "engine_error"


class SampleRefused(EngineError):
    """The bytes are not a picture that we decode."""

    code = "sample_refused"


class SampleTooLarge(SampleRefused):
    """Too many bytes or too many pixels."""

    code = "sample_too_large"


class SampleUnreadable(SampleRefused):
    """Not JPEG, PNG or WebP, or damaged."""

    code = "sample_unreadable"


class SampleCmyk(SampleUnreadable):
    """The JPEG has the colours of printing (CMYK)."""

    code = "sample_cmyk"


class PresentationAttack(EngineError):
    """The sample shows an artefact, not a bona fide palm."""

    code = "presentation_attack"


class FailureToAcquire(EngineError):
    """The picture gives no template."""

    code = "failure_to_acquire"


class PalmNotFound(FailureToAcquire):
    """No hand, or too low a probability of one."""

    code = "palm_not_found"


class BackOfHand(FailureToAcquire):
    """The hand shows its back."""

    code = "back_of_hand"


class QualityTooLow(FailureToAcquire):
    """The palm's quality is too low; ``reason`` is the first gate that failed."""

    code = "quality_too_low"

    def __init__(self, reason: QualityReason) -> None:
        super().__init__(f"quality too low: {reason.value}")
        self.reason = reason


class TemplateRefused(EngineError):
    """The bytes or numbers are not a valid template."""

    code = "template_refused"


class CodeRefused(TemplateRefused):
    """No palm can have this code. Shown as ``template_refused``."""


class ExtractorMismatch(EngineError):
    """Two extractors, or a left and a right hand, were compared."""

    code = "extractor_mismatch"


class GalleryFault(EngineError):
    """The gallery cannot do what was asked."""

    code = "gallery_fault"


class DuplicateReference(GalleryFault):
    """The reference identifier is already enrolled."""

    code = "duplicate_reference"


class UnknownReference(GalleryFault):
    """No reference has this identifier."""

    code = "unknown_reference"


class GalleryUnreachable(GalleryFault):
    """The gallery's server does not answer or fails."""

    code = "gallery_unreachable"


class DirectoryFault(GalleryFault):
    """The gallery's directory cannot be used."""

    code = "gallery_directory_fault"


class DirectoryInUse(DirectoryFault):
    """Another process uses the directory."""

    code = "gallery_in_use"


class DirectoryFull(DirectoryFault):
    """The disk is full."""

    code = "gallery_disk_full"


class DirectoryDamaged(DirectoryFault):
    """The files are damaged."""

    code = "gallery_damaged"


class ForeignGallery(DirectoryFault):
    """The files belong to another gallery or version."""

    code = "gallery_foreign"


class CalibrationFault(EngineError):
    """No threshold exists for this extractor or rate."""

    code = "calibration_fault"


class KernelFault(EngineError):
    """Compiled code cannot be written; the message says what to do."""

    code = "kernel_fault"


class ModelFault(EngineError):
    """An ONNX file is missing or not the one in the manifest."""

    code = "model_fault"
