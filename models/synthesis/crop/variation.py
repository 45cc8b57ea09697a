"""How much pictures of one palm differ: the sizes of all chance in ``sample``.

Lengths are in shares of half the side of the crop unless said otherwise; grey levels are 0
to 255.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Variation:
    """Sizes of the differences between two samples of one palm.

    Attributes:
        turn_rad: deviation of the rotation.
        shift: deviation of the misplacement, in x and y.
        zoom: deviation of the logarithm of the size.
        aspect: deviation of the logarithm of the stretch of x against y.
        shear: deviation of the shear.
        tilt: deviation of the perspective: change of size over half the side.
        bend: deviation of the smooth field of deformation.
        strong_share: share of samples whose misplacement and bend are doubled.
        visibility: deviation of the low-frequency visibility of each layer.
        relief: largest strength of shading by a light from one side.
        shade: deviation of the low-frequency light, grey levels.
        blur_px: largest sigma of the blur, pixels of the crop.
        covered_share: share of samples of which a part is hidden.
        blotches: largest deviation of mottling that changes between samples, likewise.
        noise: largest deviation of noise, as a share of the creases' depth.
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
