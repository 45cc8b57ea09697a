"""The variation of samples of one palm. Lengths in halves of the crop; grey levels 0 to 255."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Variation:
    """Size of the differences between samples of one palm.

    Attributes:
        turn_rad: deviation of the rotation.
        shift: deviation of the misplacement, in x and y.
        zoom: deviation of the logarithm of the size.
        aspect: deviation of the logarithm of x against y.
        shear: deviation of the shear.
        tilt: deviation of the perspective.
        bend: deviation of the deformation field.
        strong_share: share of samples with doubled misplacement and bend.
        visibility: deviation of each layer's local visibility.
        relief: most shading by light from one side.
        shade: deviation of the uneven light, grey levels.
        blur_px: most blur, pixels of the crop.
        covered_share: share of samples with a hidden part.
        blotches: most mottling that changes between samples, as ``noise``.
        noise: most noise, as a share of the creases' depth.
    """

    turn_rad: float = 0.05
    shift: float = 0.05
    zoom: float = 0.04
    aspect: float = 0.022
    shear: float = 0.022
    tilt: float = 0.035
    bend: float = 0.016
    strong_share: float = 0.15
    visibility: float = 0.22
    relief: float = 0.8
    shade: float = 24.0
    blur_px: float = 1.2
    covered_share: float = 0.12
    blotches: float = 0.04
    noise: float = 0.016
