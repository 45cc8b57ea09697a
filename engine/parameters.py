"""Every tuned number of the algorithm, with its unit and where it comes from.

One section for each step, in the order of the path. What an operator may change is in
``engine/settings.py`` instead.
"""

from __future__ import annotations

from typing import Final

# Region of interest

ROI_SIZE_PX: Final = 128
"""Side of the square region of interest. Published competitive codes are tuned for 128."""

ROI_FIT_LANDMARKS: Final = (0, 1, 5, 9, 13, 17)
"""Landmarks that the mean palm is fitted to: wrist, thumb's root and the four knuckles."""

ROI_MEAN_PALM: Final = (
    (0.260, 1.429),
    (-0.315, 1.264),
    (-0.496, 0.056),
    (-0.168, -0.062),
    (0.161, -0.050),
    (0.504, 0.056),
)
"""The landmarks above in the mean palm of 480 pictures of 114 palms. Unit: distance from
landmark 5 to 17; origin: mean of landmarks 5, 9, 13 and 17; x to the little finger, y to the
wrist. Left hands, seen from the palm."""

ROI_HALF_WIDTH: Final = 0.525
"""The region covers x from minus to plus this in the frame of the mean palm."""

ROI_TOP: Final = 0.02
"""Where the region begins in y in the frame of the mean palm; it is square."""

ROI_SMOOTHING: Final = 0.45
"""Sigma of the Gaussian before the warp, in sample pixels per ROI pixel: against aliasing."""
