"""The tuned numbers of attack detection: challenges, traces of screens and prints, sessions."""

from types import MappingProxyType
from typing import Final

# Challenges

CHALLENGE_STEPS: Final = 3
"""Each with one motion; two of them differ at least."""

CHALLENGE_OUTLINE_SIZE: Final = (0.16, 0.27)
"""Palm width as a share of the shorter side. The smallest region of interest of a frame of
640 × 480 has 81 pixels."""

CHALLENGE_REACH: Final = (1.25, 2.3, 0.9)
"""Palm widths from the palm's centre to the thumb's tip, to the fingertips, and to below the
wrist."""

CHALLENGE_PLACE_TOLERANCE: Final = 0.04
"""Of the open palm's centre, share of width and height."""

CHALLENGE_SIZE_TOLERANCE: Final = 0.16
"""Of the open palm's width, relative. Landmarks of drawn hands are up to 13 % off."""

CHALLENGE_HOLD_S: Final = (0.2, 0.5)
"""Times for which a motion is held."""

CHALLENGE_HOLD_TOLERANCE_S: Final = 0.1
"""From the first frame of the motion to the hand that is open again."""

CHALLENGE_FRAMES: Final = (3, 5)
"""Fewest and most frames of a step."""

CHALLENGE_ALL_FRAMES: Final = 14
"""Most frames of a challenge."""

# Traces of screens and prints

TRACE_WINDOW_PX: Final = 64
"""Side of the windows of a palm whose spectra are averaged; half a window apart."""

TRACE_MIN_WINDOWS: Final = 6
"""Of a palm. Of 28 drawn living palms with fewer 13 exceeded the limits, of 98 others none."""

TRACE_DETAIL_SIGMA_PX: Final = 4.0
"""Gaussian of what is not detail."""

TRACE_BANDS: Final = (0.08, 0.46, 0.04)
"""Cycles per pixel: lowest, highest, and width of a band. Above, demosaicing has its own
pattern."""

TRACE_AXIS: Final = 0.028
"""Cycles per pixel from the axes that do not count: a JPEG's blocks, scaled or not, leave peaks
of 5,000 on one in ten pictures of hands11k-dev."""

# Sessions

LOOK_CELLS: Final = 24
"""Of the surroundings of a hand, along x and y."""

LOOK_REACH: Final = 3.0
"""Palm widths from the knuckles to each side of those surroundings."""

SESSION_MIN_INTERVAL_S: Final = 0.05
"""Between two frames of a step: cameras have 20 a second at least, and a motion takes time."""

SESSION_CLOCK_TOLERANCE_S: Final = 0.25
"""Between the times of the phone and those of the service."""

SESSION_LATEST_S: Final = (12.0, 25.0)
"""To the open hand in its place, and to the last frame of a step: slow hands are forgiven."""

MOTION_THUMB: Final = 0.6
"""Way of the thumb's tip, palm widths. Drawn hands have 1.3 at least, flat copies 0.06 at
most."""

MOTION_FAN_DEG: Final = 5.0
"""Between index and little finger. Drawn hands have 5.5 to 38, stiff ones less."""

MOTION_GAP: Final = 0.07
"""Of the tips of index and little finger, palm widths."""

MOTION_FIST_REACH: Final = (0.65, 0.0)
"""Of the fingertips beyond their middle joints, palm widths: open hand, and what is a fist."""

MOTION_CURL: Final = 0.3
"""Of that, what is lost by a fist and by no other motion: drawn ones 0.45 to 1.6, and 0.12 at
most."""

MOTION_HELD: Final = 0.6
"""Share of the threshold that is left of a motion when its hold ends, as for the page."""

MOTION_LEFT: Final = 0.5
"""Share of a motion that may be left when the hand is open again, as for the page."""

MOTION_RIGID_RESIDUAL: Final = 0.04
"""Of the best homography, palm widths, below which a flat copy explains a frame."""

SAME_SCORE: Final = 0.63
"""Of an open hand and the one that is most like all of its session. Drawn hands have 0.645 at
least, a still among frames of another hand 0.620 at most (99 and 6 sessions, by palmnet-2's
scores). By palmnet-3's, 1 of 100 sessions of drawn hands has less, and all 120 with an
attacker's own hand do or break the order."""

SAME_MOVING_SCORE: Final = 0.62
"""Mean over the steps of open palms and the frame that shows the motion: drawn hands have 0.639
at least, an attacker's own hand between copies 0.616 at most."""

SAME_MOVING_STEPS: Final = 2
"""Steps whose moving palm gave a template."""

SAME_MIDDLE: Final = 0.6
"""Way of the palm's centre between two frames of a step, palm widths."""

SAME_GROWTH: Final = 1.3
"""Of the palm's width between two frames of a step, as a factor."""

SAME_CHROMA: Final = 0.3
"""Change of log red/green and blue/green of the palm between two frames of a step."""

SHARED_BACKGROUND: Final = 0.99
"""Likeness of the surroundings above which they move with the hand. Drawn hands have 0.988 at
most (150 sessions in scenes that were tuned with, 16 too plain to tell)."""

LOOK_ROWS: Final = 18
"""Rows of those surroundings that are above the wrist: below, the arm moves with the hand."""

LOOK_MIN_CELLS: Final = 100
"""Seen in both surroundings."""

LOOK_MIN_CONTRAST: Final = 0.01
"""Standard deviation of grey, 0 to 1: plainer surroundings say nothing."""

TRACE_LIMITS: Final = MappingProxyType({"luma_peak": 20.0, "red_peak": 60.0, "blue_peak": 60.0})
"""Medians of a session's open hands, or of a single picture, above which it is an artefact."""

FLAT_RESIDUAL: Final = 0.018
"""Of the best homography from either open hand to the tilted one, palm widths: less is flat,
even for a stretched hand. Drawn hands have 0.020 at least."""
