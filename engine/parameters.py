"""Every tuned number of the algorithm, with its unit and origin.

In the order of the pipeline. D-numbers refer to ``engine/DECISIONS.md``. Operators change
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
"""Landmarks that the mean palm is fitted to: wrist, root of the thumb, four knuckles."""

ROI_MEAN_PALM: Final = (
    (0.260, 1.429),
    (-0.315, 1.264),
    (-0.496, 0.056),
    (-0.168, -0.062),
    (0.161, -0.050),
    (0.504, 0.056),
)
"""Those landmarks in the mean palm of 480 pictures of 114 palms. Unit: distance of landmarks 5
and 17; origin: mean of landmarks 5, 9, 13, 17; x to the little finger, y to the wrist. Left
hand."""

ROI_FIT_WEIGHTS: Final = (0.4, 0.4, 1.0, 1.0, 1.0, 1.0)
"""Their weights. Wrist and thumb move against the skin of the palm when the hand bends, and are
guessed where the picture cuts them off; D1."""

ROI_HALF_WIDTH: Final = 0.525
"""The region covers x from minus to plus this, in the frame of the mean palm."""

ROI_TOP: Final = 0.02
"""Upper edge (y) of the square region, in the frame of the mean palm."""

ROI_LUMA: Final = (0.299, 0.587, 0.114)
"""Weights of red, green and blue. ITU-R BT.601."""

ROI_SAMPLING_PX: Final = 1.5
"""Largest distance, in pixels of the sample, of the points averaged into a pixel of the region,
against aliasing; D27."""

ROI_MAX_DENSITY: Final = 8
"""Largest number of points along a pixel; a hand that fills a sample needs 5."""

# Hands and their landmarks

DETECTOR_INPUT_PX: Final = 192
"""Side of the palm detector's input. MediaPipe Hands, palm_detection_full."""

DETECTOR_GRIDS: Final = ((24, 2), (12, 6))
"""Cells in x and y, and anchors per cell, of the detector's grids: 2016 anchors. The three
layers of stride 16 share one grid. MediaPipe Hands, palm_detection_cpu."""

DETECTOR_MIN_SCORE: Final = 0.5
"""Lowest score of a box. MediaPipe Hands."""

DETECTOR_MAX_OVERLAP: Final = 0.3
"""Boxes with a larger intersection over union are one hand. MediaPipe Hands."""

DETECTION_CROP_SIDE: Final = 2.6
"""Side of the first crop, in long sides of the detected box. MediaPipe Hands."""

DETECTION_CROP_LIFT: Final = 0.5
"""Shift of the first crop towards the fingers, in long sides of the box. MediaPipe Hands."""

LANDMARK_INPUT_PX: Final = 224
"""Side of the landmark network's input. MediaPipe Hands, hand_landmark_full."""

LANDMARK_CROP_POINTS: Final = (0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18)
"""Landmarks whose bounding box gives the second crop: all but the fingertips. MediaPipe Hands,
hand_landmark_landmarks_to_roi."""

LANDMARK_CROP_SIDE: Final = 2.0
"""Side of the second crop, in long sides of that bounding box. MediaPipe Hands."""

LANDMARK_CROP_LIFT: Final = 0.1
"""Shift of the second crop towards the fingers, in heights of that box. MediaPipe Hands."""

HAND_CROP_GRID: Final = (1.0, 256.0)
"""Crops are rounded to whole pixels, and angles to 1/256 radian: machines whose networks differ
in the seventh digit then cut the same pixels; D23."""

HAND_MIN_PRESENCE: Final = 0.8
"""Lowest presence of a hand; the detector alone fires on smooth pictures. Mated hands have at
least 0.976."""

HAND_MIN_FIRST_PRESENCE: Final = 0.5
"""A first crop with less is not read again. Hands of the development sets have at least
0.77."""

HAND_PICTURE_PX: Final = 1024
"""Long side of the picture in which hands are searched. The networks see 192 and 224 pixels; a
palm a tenth as wide as the picture still fills 100."""

HAND_HALVED_PX: Final = 1536
"""Longer pictures are halved instead: that costs a sixteenth of any other factor; D34."""

HAND_BORDERS: Final = (0.35, 0.7, 0.0, 1.0)
"""Borders tried round the picture, in long sides, in order. Without one the detector misses
four fifths of hands that fill a grey frame and an eighth of phone pictures; the widest finds
palms without fingers, none finds distant hands (development sets)."""

HAND_TINT: Final = ((255.0, 0.8), (204.0, 1.0), (166.0, 1.0))
"""Peak and exponent of red, green and blue: skin colour for grey pictures. Failure to acquire
without it 63 %, with it 0.04 % (4,502 pictures)."""

HAND_TINT_CLIPPED_SHARE: Final = 0.01
"""Share of the pixels made black, and white, when a picture is tinted."""

HAND_GREY_SAMPLING: Final = 4
"""Step of rows and columns in the test for grey pictures."""

HAND_GREY_SPREAD: Final = 4.0
"""Mean |red − green| plus |green − blue|, in levels, of a grey picture at most. Grey files have
0, the palest phone pictures of hands more than 10."""

HANDS_READ: Final = 3
"""Detected hands that are read, highest score first."""

HAND_MIN_WIDTH_PX: Final = 24.0
"""Shortest distance of landmarks 5 and 17 in the sample: the region of interest has 25 pixels a
side."""

HAND_MAX_RESIDUAL: Final = 0.25
"""Largest misfit of an open palm to the mean palm. Development sets: 0.09 at most where the
hand is known, 0.21 on phone pictures; most other objects have more than 0.3."""

HAND_CONVINCING_CERTAINTY: Final = 0.5
"""Palm certainty that ends the search. All but 3 of 1,533 palms of the development sets reach
it."""

HAND_CONVINCING_THUMB_LIFT: Final = 0.15
"""Thumb lift that ends the search, in distances of landmarks 5 and 17. 99 % of palms have more
at once, most drawn backs of hands less."""

HAND_CONVINCING_RESIDUAL: Final = 0.12
"""Largest misfit that ends the search. Constrained palms have 0.07 at most."""

HAND_MIN_PALM_CERTAINTY: Final = 0.15
"""Lowest palm certainty after all attempts. The lowest of 1,533 palms has 0.18."""

HAND_MIN_THUMB_LIFT: Final = 0.1
"""Lowest thumb lift after all attempts, in distances of landmarks 5 and 17."""

# Gallery

SHORT_LIST_ROWS: Final = 100
"""Rows per probe that the vector search passes to the exact comparison. No mated reference
above the threshold was lost in a million rows of 256 numbers."""

SCANNED_ROWS: Final = 400
"""Rows, at least, that a scan of packed rows passes to the exact cosine."""

SCANNED_SHARE: Final = 0.0016
"""The same as a share of all rows: 1,600 in a million. Of 10,872 drawn palms above the
threshold of FPIR 1e-3 that an exact search ranks in the first 20 of a million, one bit and 100
rows lose 12, 400 lose 3, 800 lose 2, 1,000 none; of 11,324 above that of FMR 1e-4, 1,200 lose
1, 1,600 none (whitened energy); D37."""

TWO_BIT_DIMENSION: Final = 256
"""Up to this length a vector is packed with two bits a number, above with one: 384 bits find
1,200 rows in a million, in a third of the scan time; D33."""

COMPARED_GROUPS: Final = 20
"""Groups of a packed gallery's short list that are compared first. More are compared for a
longer list, or if none scores ``ALIKE_SCORE``."""

ALIKE_SCORE: Final = 0.70
"""Reached by four mated comparisons in five and, by the extrapolated tail, by less than one
non-mated in 10^12; D45."""

PACKED_SEGMENT_ROWS: Final = 1 << 18
"""Rows for which a packed gallery allocates memory at once: 12 MB (384 numbers, 1 bit). Each
segment restarts the search for the nearest rows, some 25 µs."""

EXACT_GALLERY_ROWS: Final = 20_000
"""Largest gallery that compares all vectors, unpacked: above, scanning packed rows pays."""

# Competitive code

CODE_DIRECTIONS: Final = 6
"""Directions of a line, 30 degrees apart. Kong and Zhang 2004."""

CODE_CELLS: Final = 32
"""Cells of a code in x and y: one for every 4 pixels of the region."""

CODE_BYTES: Final = 4 * CODE_CELLS * CODE_CELLS // 8
"""Size of a packed code: four bit planes."""

CODE_NORM_SIGMA_PX: Final = 12.0
"""Gaussian of the local mean and contrast."""

CODE_NORM_FLOOR: Final = 4.0
"""Contrast in grey levels below which skin is not amplified further."""

CODE_SIGMA_PX: Final = 3.1
"""Gabor kernel: sigma across the line. Its ratio to the wavelength is Kong and Zhang's."""

CODE_WAVELENGTH_PX: Final = 12.0
"""Gabor kernel: wavelength across the line; D2."""

CODE_GAMMA: Final = 0.5
"""Gabor kernel: sigma across the line over sigma along it."""

CODE_KERNEL_PX: Final = 35
"""Gabor kernel: side."""

CODE_BLIND_LEVELS: Final = (8, 247)
"""Grey levels up to and from which a pixel shows no skin: clipped, background, outside."""

CODE_BLIND_MIN_PX: Final = 7
"""Narrower blind spots are creases or glints and belong to the palm."""

CODE_BLIND_REACH_PX: Final = 8
"""Distance from a blind spot within which cells are masked: two and a half sigmas of the
kernel. Otherwise the edge of a sleeve is a line that all palms share; D3."""

CODE_NON_MATED_DISTANCE: Final = 0.42
"""Mean distance of different palms at one shift. Distances over fewer cells scatter more and
are drawn towards it by the square root of their share. Daugman 2007."""

CODE_MAX_SHIFT: Final = 7
"""Largest shift of two codes in x and y, in cells: 22 % of the side. Our regions differ by 8.4
%, crops of other software by twice that; D39."""

CODE_TURNS_DEG: Final = (0, -5, 5, -10, 10, -15, 15)
"""Rotations of one region against the other, nearest first."""

CODE_ZOOMS: Final = (1 / 1.1, 1.1)
"""Scale factors of one region against the other, at ``CODE_ZOOMED_TURNS_DEG`` only; at every
rotation they find hardly more and cost half as much time again."""

CODE_ZOOMED_TURNS_DEG: Final = (0, -10, 10)
"""Rotations that are combined with ``CODE_ZOOMS``."""

CODE_FAR_CELLS: Final = 4
"""Larger shifts of a tile count as this one."""

CODE_ROUGHNESS: Final = 0.41
"""Mean difference of the directions of neighbouring cells below which a code is smooth. Sharp
palms have 0.39 to 0.40, blurred by 2.5 pixels 0.32, by 4 pixels 0.26; D40."""

CODE_ROUGHNESS_COST: Final = 0.45
"""Distance added per mean roughness deficit of two codes."""

CODE_TILE_CELLS: Final = 8
"""Side of the tiles that may each move one cell further than the code; D2."""

CODE_TILE_MIN_CELLS: Final = 8
"""Cells that both codes must have in a tile for it to count. Unmasked tiles have at least 16 at
the largest shift."""

# Oriented energy

ENERGY_CELLS: Final = 8
"""Cells of the searched descriptor in x and y. 6 × 8 × 8 numbers."""

ENERGY_SIGMA_PX: Final = 10.0
"""Gaussian that gathers a cell's energy, 5/8 of a cell, so that a misplacement of a few pixels
hardly matters. Wider ones lose rank-1, narrower ones recall; D4."""

ENERGY_POWER: Final = 0.5
"""Exponent of a line's strength, so that deep creases do not drown the others."""

ENERGY_TIE: Final = 1.0
"""Difference to the strongest response at which another counts nothing; the strongest is about
−5. Without a slope a rounding error could change a pixel's direction."""

# Quality: the value at which a gate closes, and the value that is perfect

QUALITY_FOCUS: Final = (0.16, 0.34)
"""Share of fine detail, ``Quality.focus``. The development sets have at least 0.29, phone
pictures 0.22; blurred by 2.5 pixels 0.18 to 0.25, by 4 pixels 0.14 to 0.18; drawn photos far
out of focus 0.14 to 0.15. Below 0.13 the FMR exceeds the stated one; D42."""

QUALITY_DARK: Final = (14.0, 75.0)
"""Mean grey level. The development sets have at least 55. At 16 to 25 one to four in a hundred
mated comparisons fail, at 12 every tenth, below 10 a third; D42."""

QUALITY_BRIGHT: Final = (240.0, 232.0)
"""Mean grey level. The development sets have at most 230."""

QUALITY_CLIPPED: Final = (0.50, 0.10)
"""Share of nearly black or white pixels. The development sets have at most 0.23. At 0.5 a fifth
of the mated comparisons fail, at 0.6 half; D42."""

QUALITY_INSIDE: Final = (0.92, 1.0)
"""Share of the region inside the picture. The development sets have at least 0.99."""

QUALITY_SCALE_PX: Final = (63.5, 128.0)
"""Side of the region in the sample; crops of 64 pixels are accepted. Smaller ones match too,
but at 48 pixels the FMR is twenty times the stated one. Phones send ten times as many; D42."""

QUALITY_RESIDUAL: Final = (0.13, 0.05)
"""Misfit to the mean palm. 98 of 100 pictures in free pose are below 0.1; above 0.13 half of
the mated comparisons fail, because the wrist or the thumb was misplaced."""

FOCUS_SIGMAS_PX: Final = (1.0, 2.0, 6.0)
"""Fine detail lies between the first two Gaussians, coarse detail between the last two."""

FOCUS_FLOOR: Final = 0.25
"""Grey levels added to the coarse detail: a surface without texture is not sharp."""

# Templates

TEMPLATE_SIZES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "compcode-1": (CODE_DIRECTIONS * ENERGY_CELLS**2, CODE_BYTES),
        "compcode-2": (CODE_DIRECTIONS * ENERGY_CELLS**2, CODE_BYTES),
        "palmnet-1": (384, CODE_BYTES),
        "palmnet-2": (384, CODE_BYTES),
    }
)
"""Vector length and code bytes of every released extractor."""

# Calibration

CALIBRATION_SAFETY: Final = 10.0
"""Factor on stated false match rates. On two sets of other sensors they were 1.6 to 2.5 times
as high as calibrated, and half of the highest scores came from one pair of palms; D6."""
