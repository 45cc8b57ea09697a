"""Every tuned number of the algorithm, with its unit and where it comes from.

One section for each step, in the order of the path. What an operator may change is in
``engine/settings.py`` instead.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

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

ROI_FIT_WEIGHTS: Final = (0.4, 0.4, 1.0, 1.0, 1.0, 1.0)
"""How much each of them counts. The wrist and the thumb's root move against the skin of the
palm when the hand bends, and are guessed where the picture cuts them off; see D1."""

ROI_HALF_WIDTH: Final = 0.525
"""The region covers x from minus to plus this in the frame of the mean palm."""

ROI_TOP: Final = 0.02
"""Where the region begins in y in the frame of the mean palm; it is square."""

ROI_LUMA: Final = (0.299, 0.587, 0.114)
"""Share of red, green and blue in a grey level. ITU-R BT.601."""

ROI_SAMPLING_PX: Final = 1.5
"""How far apart, in pixels of the sample, places may be whose mean is a pixel of the region:
against aliasing; see D27."""

ROI_MAX_DENSITY: Final = 8
"""At most so many places along a pixel of the region; a hand that fills a sample needs 5."""

# Hands and their landmarks

DETECTOR_INPUT_PX: Final = 192
"""Side of the palm detector's input. MediaPipe Hands, palm_detection_full."""

DETECTOR_GRIDS: Final = ((24, 2), (12, 6))
"""Cells in x and y, and anchors in each cell, of the detector's two grids: 2016 in all. The
three layers of stride 16 share one grid. MediaPipe Hands, palm_detection_cpu."""

DETECTOR_MIN_SCORE: Final = 0.5
"""Boxes below this certainty are dropped. MediaPipe Hands."""

DETECTOR_MAX_OVERLAP: Final = 0.3
"""Boxes whose intersection is a larger share of their union are one hand. MediaPipe Hands."""

DETECTION_CROP_SIDE: Final = 2.6
"""Side of the first crop, in long sides of the detected box. MediaPipe Hands."""

DETECTION_CROP_LIFT: Final = 0.5
"""How far the first crop is moved towards the fingers, in long sides of the detected box.
MediaPipe Hands."""

LANDMARK_INPUT_PX: Final = 224
"""Side of the landmark network's input. MediaPipe Hands, hand_landmark_full."""

LANDMARK_CROP_POINTS: Final = (0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18)
"""Landmarks whose bounding box gives the second crop: all but the ends of the fingers.
MediaPipe Hands, hand_landmark_landmarks_to_roi."""

LANDMARK_CROP_SIDE: Final = 2.0
"""Side of the second crop, in long sides of that bounding box. MediaPipe Hands."""

LANDMARK_CROP_LIFT: Final = 0.1
"""How far the second crop is moved towards the fingers, in heights of that bounding box.
MediaPipe Hands."""

HAND_CROP_GRID: Final = (1.0, 256.0)
"""Crops have whole pixels of the picture, and angles of whole parts of a radian: two machines
whose networks differ in the seventh digit then cut the same pixels; see D23."""

HAND_MIN_PRESENCE: Final = 0.8
"""A crop with less is no hand: the detector alone fires on smooth pictures. Mated hands have
at least 0.976 on constrained pictures and 0.98 on phone pictures."""

HAND_MIN_FIRST_PRESENCE: Final = 0.5
"""A first crop with less is not read again. Hands of the development sets have at least 0.77
in a first crop that a convincing second one follows."""

HAND_PICTURE_PX: Final = 1024
"""Long side of the picture that hands are looked for in. The networks see 192 and 224 pixels;
a palm a tenth as wide as the picture still fills 100."""

HAND_HALVED_PX: Final = 1536
"""Pictures at least so long are halved instead of shrunk to that: a sample is at most twice as
long, and halving costs a sixteenth of any other size."""

HAND_BORDERS: Final = (0.35, 0.7, 0.0, 1.0)
"""Borders tried round the picture, in long sides, in this order. Development sets: without a
border the detector misses four fifths of the hands that fill a grey frame and an eighth of
phone pictures; the widest finds palms without fingers; none at all, distant hands."""

HAND_TINT: Final = ((255.0, 0.8), (204.0, 1.0), (166.0, 1.0))
"""Peak and exponent of red, green and blue: the colour of skin for grey pictures, which the
detector hardly finds otherwise (63 % failure to acquire without, 0.04 % with, on 4,502)."""

HAND_TINT_CLIPPED_SHARE: Final = 0.01
"""Share of the pixels that are made black, and white, when a picture is tinted."""

HAND_GREY_SAMPLING: Final = 4
"""Every so many rows and columns are looked at to tell whether a picture is grey."""

HAND_GREY_SPREAD: Final = 4.0
"""Mean difference of red and green plus that of green and blue, in levels, up to which a
picture counts as grey. Grey files have 0; the palest phone pictures of hands more than 10."""

HANDS_READ: Final = 3
"""How many of the detected hands are read, most certain first."""

HAND_MIN_WIDTH_PX: Final = 24.0
"""Distance of landmarks 5 and 17 in the sample below which a hand shows no palm print: the
region of interest would have 25 pixels a side."""

HAND_MAX_RESIDUAL: Final = 0.25
"""Misfit to the mean palm above which a shape is no open palm. Development sets: 0.09 at most
where the side is known, 0.21 on phone pictures of all kinds; most things that are no hand
have more than 0.3."""

HAND_CONVINCING_CERTAINTY: Final = 0.5
"""Agreement of looks and side from which a palm convinces. All but 3 of 1,533 palms of the
development sets reach it on one rung or another."""

HAND_CONVINCING_THUMB_LIFT: Final = 0.15
"""How far before the palm's plane a thumb must lie for the palm to convince, in distances of
landmarks 5 and 17. 99 % of palms have more at once; most drawn backs of hands less."""

HAND_CONVINCING_RESIDUAL: Final = 0.12
"""Misfit up to which a palm convinces. Constrained palms have 0.07 at most."""

HAND_MIN_PALM_CERTAINTY: Final = 0.15
"""Agreement of looks and side below which no palm is shown, once every rung of the ladder has
been tried. The lowest of 1,533 palms of the development sets has 0.18."""

HAND_MIN_THUMB_LIFT: Final = 0.1
"""How far before the palm's plane a thumb must lie for a hand to show its palm, once every rung
of the ladder has been tried, in distances of landmarks 5 and 17."""

# Gallery

SHORT_LIST_ROWS: Final = 100
"""How many rows the vector search hands to the exact comparison, for each probe. With it, no
mated reference above the threshold was lost in a million rows of 256 numbers."""

SCANNED_ROWS: Final = 400
"""How many rows a scan of packed rows hands to the exact cosine at least, which keeps the short
list."""

SCANNED_SHARE: Final = 0.0016
"""What share of the rows that is where it is more: 1,600 in a million. Of 10,872 drawn palms
above the threshold of FPIR 1e-3 that an exact search has among its first 20 of a million, one
bit and 100 rows lose 12, 400 lose 3, 800 lose 2, 1,000 none; of 11,324 above that of FMR 1e-4,
1,200 lose 1, 1,600 none (evened energy); see D37."""

TWO_BIT_DIMENSION: Final = 256
"""Up to how many numbers a vector is packed with two bits for each, above with one: 384 bits
say enough to find 1,200 rows in a million, and are scanned in a third of the time; see D33."""

COMPARED_GROUPS: Final = 20
"""How many groups of a packed gallery's short list are compared at first. More are compared if
a longer list is wanted, or none of them scores ``ALIKE_SCORE``."""

ALIKE_SCORE: Final = 0.70
"""Four mates in five score so much, and no stranger does: the tail of strangers' scores,
carried on, gives less than one comparison in 10^12. Whoever is so alike has been found; D45."""

PACKED_SEGMENT_ROWS: Final = 1 << 18
"""Rows for which a packed gallery takes memory at once: 12 MB (384 numbers, 1 bit). A scan
begins to look for the nearest rows anew in each segment, which costs some 25 µs."""

EXACT_GALLERY_ROWS: Final = 20_000
"""Up to how many references a gallery compares all vectors, unpacked: above, a scan of packed
rows is worth its memory."""

# Competitive code

CODE_DIRECTIONS: Final = 6
"""Directions a line may have in a code, 30 degrees apart. Kong and Zhang 2004."""

CODE_CELLS: Final = 32
"""Cells of a code in x and y: one for every 4 pixels of the region."""

CODE_BYTES: Final = 4 * CODE_CELLS * CODE_CELLS // 8
"""Size of a packed code: four bit planes."""

CODE_NORM_SIGMA_PX: Final = 12.0
"""Gaussian over which the region's local mean and contrast are evened out."""

CODE_NORM_FLOOR: Final = 4.0
"""Contrast in grey levels below which skin is not amplified any further."""

CODE_SIGMA_PX: Final = 3.1
"""Gabor kernel: sigma across the line. The ratio to the wave length is Kong and Zhang's."""

CODE_WAVELENGTH_PX: Final = 12.0
"""Gabor kernel: wave length across the line; see D2."""

CODE_GAMMA: Final = 0.5
"""Gabor kernel: sigma across the line over sigma along it."""

CODE_KERNEL_PX: Final = 35
"""Gabor kernel: its side."""

CODE_BLIND_LEVELS: Final = (8, 247)
"""Grey levels up to and from which a pixel shows no skin: clipped, background, or outside."""

CODE_BLIND_MIN_PX: Final = 7
"""Blind spots narrower than this are creases or glints and belong to the palm."""

CODE_BLIND_REACH_PX: Final = 8
"""How far from a blind spot cells do not count: two and a half sigmas of the kernel. Else the
edge of a sleeve is a line that all palms share; see D3."""

CODE_NON_MATED_DISTANCE: Final = 0.42
"""Comparison: mean distance of different palms at one shift. Distances over fewer cells scatter
more, and are drawn towards it by the square root of their share. Daugman 2007."""

CODE_MAX_SHIFT: Final = 7
"""Comparison: how many cells two codes may be shifted against each other in x and y: 22 % of
the side. Regions that our locator cuts differ by 8.4 %, crops of other makers by twice that;
see D39."""

CODE_TURNS_DEG: Final = (0, -5, 5, -10, 10, -15, 15)
"""Comparison: by what angles one region may be turned against the other, nearest first."""

CODE_ZOOMS: Final = (1 / 1.1, 1.1)
"""Comparison: how many times as large one region may show the palm as the other, at
``CODE_ZOOMED_TURNS_DEG``; zooming at every turn finds hardly more, for half as much time
again."""

CODE_ZOOMED_TURNS_DEG: Final = (0, -10, 10)
"""Comparison: the turns at which a palm may also be larger or smaller."""

CODE_FAR_CELLS: Final = 4
"""Comparison: palms whose tiles lie further apart than so many cells are said to lie so far."""

CODE_ROUGHNESS: Final = 0.41
"""Comparison: mean difference of the directions of neighbouring cells, up to which a code
counts as smooth. Sharp palms have 0.39 to 0.40, blurred by 2.5 pixels 0.32, by 4 pixels 0.26;
see D40."""

CODE_ROUGHNESS_COST: Final = 0.45
"""Comparison: by what share of what two codes lack of it, on average, their distance grows."""

CODE_TILE_CELLS: Final = 8
"""Comparison: side of the tiles that may move on their own, one cell further than the code
(see D2)."""

CODE_TILE_MIN_CELLS: Final = 8
"""Comparison: cells of a tile that both codes must have for it to say anything. Unmasked tiles
have 16 at least, at the largest shift."""

# Oriented energy

ENERGY_CELLS: Final = 8
"""Cells of the searched descriptor in x and y. 6 × 8 × 8 numbers."""

ENERGY_SIGMA_PX: Final = 10.0
"""Gaussian over which a cell gathers energy, 5/8 of a cell: a palm that is cut a few pixels
off still fills the same cells. Wider ones lose rank-1, narrower ones recall; see D4."""

ENERGY_POWER: Final = 0.5
"""What a line's strength is raised to before it is gathered: deep creases must not drown the
others, noise must not count as much as they do."""

ENERGY_TIE: Final = 1.0
"""How far behind the strongest a response counts for nothing; the strongest of a pixel is about
−5. Without a slope a rounding error in the last bit could move a pixel to another direction."""

# Quality: where a gate closes, and from where on more is no better

QUALITY_FOCUS: Final = (0.16, 0.34)
"""Share of fine detail in the region's texture, as ``Quality.focus``. Palms of the development
sets have at least 0.29, phone pictures 0.22; blurred by 2.5 pixels of the region 0.18 to 0.25,
by 4 pixels 0.14 to 0.18; drawn photos far out of focus 0.14 to 0.15, by their noise alone.
Below 0.13 the false match rate leaves what is stated. See D42."""

QUALITY_DARK: Final = (14.0, 75.0)
"""Mean grey level. The development sets have at least 55. Darkened with noise to 16 to 25, one
to four in a hundred mated comparisons fail, at 12 every tenth, below 10 a third; false matches
become fewer. See D42."""

QUALITY_BRIGHT: Final = (240.0, 232.0)
"""Mean grey level. The development sets have at most 230."""

QUALITY_CLIPPED: Final = (0.50, 0.10)
"""Share of nearly black or white pixels. The development sets have at most 0.23, where the
background reaches into the region. Covered to a half, a fifth of the mated comparisons fail, to
0.6 every other one. See D42."""

QUALITY_INSIDE: Final = (0.92, 1.0)
"""Share of the region inside the picture. The development sets have at least 0.99."""

QUALITY_SCALE_PX: Final = (63.5, 128.0)
"""Side of the region in the sample; crops of 64 pixels are taken, of either hand. Smaller ones
are recognised as well, but blowing them up makes strangers alike: at 48 pixels twenty times as
often as is stated. Phones send ten times as many. See D42."""

QUALITY_RESIDUAL: Final = (0.13, 0.05)
"""Misfit to the mean palm. 98 of 100 pictures in free pose are below 0.1; above 0.13, half of
the mated comparisons fail, because the wrist or the thumb's root was misplaced."""

FOCUS_SIGMAS_PX: Final = (1.0, 2.0, 6.0)
"""Fine detail lies between the first two Gaussians, coarse detail between the last two."""

FOCUS_FLOOR: Final = 0.25
"""Grey levels added to the coarse detail: a surface without any texture is not sharp."""

# Templates

TEMPLATE_SIZES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "compcode-1": (CODE_DIRECTIONS * ENERGY_CELLS**2, CODE_BYTES),
        "compcode-2": (CODE_DIRECTIONS * ENERGY_CELLS**2, CODE_BYTES),
        "palmnet-1": (384, CODE_BYTES),
        "palmnet-2": (384, CODE_BYTES),
    }
)
"""Numbers in the vector and bytes of the code, for each extractor that was ever released."""

# Calibration

CALIBRATION_SAFETY: Final = 10.0
"""How many times as high as on the calibration's sets a false match rate is stated. On two
sets of other sensors, which were not fitted, it was 1.6 to 2.5 times as high, and half of the
highest scores came from one pair of palms; see D6."""
