"""Every tuned number of palms, its unit and origin (E: ``engine/DECISIONS.md``).

Those of attack detection are in its folder.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Region of interest

ROI_SIZE_PX: Final = 128
"""Side of the region of interest, as for published competitive codes."""

ROI_FIT_LANDMARKS: Final = (0, 1, 5, 9, 13, 17)
"""Wrist, root of the thumb, four knuckles."""

ROI_MEAN_PALM: Final = (
    (0.260, 1.429),
    (-0.315, 1.264),
    (-0.496, 0.056),
    (-0.168, -0.062),
    (0.161, -0.050),
    (0.504, 0.056),
)
"""Those landmarks, mean of 480 pictures of 114 palms, left hand. Unit: distance of landmarks 5
and 17; origin: mean of 5, 9, 13, 17; x to the little finger, y to the wrist."""

ROI_FIT_WEIGHTS: Final = (0.4, 0.4, 1.0, 1.0, 1.0, 1.0)
"""Wrist and thumb move against the palm's skin and are guessed where they are cut off; E1."""

ROI_HALF_WIDTH: Final = 0.525
"""The region covers x from minus to plus this, in units of the mean palm."""

ROI_TOP: Final = 0.02
"""Upper edge (y) of the square region."""

ROI_LUMA: Final = (0.299, 0.587, 0.114)
"""ITU-R BT.601, of colours that are not clipped."""

ROI_CLIPPED_LEVEL: Final = 250
"""From here a colour of a pixel is clipped: skin is too bright for its red first."""

ROI_CLIPPED_POWER: Final = 8
"""Of the share of a colour's pixels that are not clipped, a factor of its weight; E79."""

ROI_SAMPLING_PX: Final = 1.5
"""Largest distance of the points averaged into a pixel, in pixels of the sample; E27."""

ROI_MAX_DENSITY: Final = 8
"""Points along a pixel."""

# Hands and their landmarks

DETECTOR_INPUT_PX: Final = 192
"""MediaPipe Hands, palm_detection_full."""

DETECTOR_GRIDS: Final = ((24, 2), (12, 6))
"""Cells in x and y, and anchors per cell: 2016 anchors. MediaPipe Hands, palm_detection_cpu."""

DETECTOR_MIN_SCORE: Final = 0.5
"""MediaPipe Hands."""

DETECTOR_MAX_OVERLAP: Final = 0.3
"""Boxes with a larger intersection over union are one hand. MediaPipe Hands."""

DETECTION_CROP_SIDE: Final = 2.72
"""Side of the first crop, in long sides of the box: mean of the crops of the landmarks; E62."""

DETECTION_CROP_LIFT: Final = 0.305
"""Its shift towards the fingers, also the mean; E62."""

LANDMARK_INPUT_PX: Final = 224
"""MediaPipe Hands, hand_landmark_full."""

LANDMARK_CROP_POINTS: Final = (0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18)
"""All but the fingertips. MediaPipe Hands, hand_landmark_landmarks_to_roi."""

LANDMARK_CROP_SIDE: Final = 2.0
"""In long sides of that bounding box. MediaPipe Hands."""

LANDMARK_CROP_LIFT: Final = 0.1
"""Shift towards the fingers, in heights of that box. MediaPipe Hands."""

HAND_CROP_GRID: Final = (1.0, 256.0)
"""Steps per pixel and per radian: rounded crops make all machines cut the same pixels; E23."""

HAND_CROP_AGREEMENT: Final = (0.05, 0.1, 0.08)
"""Largest shift and growth, in sides, and turn, radians, from the crop of a reading's landmarks
to the one that it was read in: others are read again; E62."""

HAND_MIN_PRESENCE: Final = 0.8
"""Mated hands have at least 0.976; the detector alone fires on smooth pictures."""

HAND_MIN_FIRST_PRESENCE: Final = 0.5
"""For a second reading. Hands of the development sets have at least 0.77."""

SEARCHED_SIDE_PX: Final = 800
"""Long side, at least, of the JPEG in which the hand is looked for; E63."""

DETAILED_PALM_PX: Final = 122.0
"""Distance of landmarks 5 and 17 there, a region of 128, from which a larger copy shows nothing
more; E63."""

HAND_PICTURE_PX: Final = 1024
"""Long side in which hands are searched."""

HAND_HALVED_PX: Final = 1536
"""Longer pictures are halved instead: averaging to another size costs sixteen times as much."""

HAND_LOOK_PX: Final = 288
"""Long side, at least, in which the detector looks: its square has 192; E62."""

HAND_BORDERS: Final = (0.35, 0.7, 0.0, 1.0)
"""In long sides, in order. Without, four fifths of hands that fill a grey frame are missed."""

HAND_TINT: Final = ((255.0, 0.8), (204.0, 1.0), (166.0, 1.0))
"""Peak and exponent of red, green, blue: skin colour for grey pictures. Failure to acquire 63 %
without, 0.04 % with it (4,502 pictures)."""

HAND_TINT_CLIPPED_SHARE: Final = 0.01
"""Share of the pixels made black, and white."""

HAND_GREY_SAMPLING: Final = 4
"""Step of rows and columns."""

HAND_GREY_SPREAD: Final = 4.0
"""Mean |red − green| plus |green − blue|, in levels. Grey files have 0, hands in colour over
10."""

HANDS_READ: Final = 3
"""Highest score first."""

HAND_MIN_WIDTH_PX: Final = 24.0
"""Distance of landmarks 5 and 17: a region of 25 pixels a side."""

HAND_MAX_RESIDUAL: Final = 0.25
"""Open palms have 0.21 at most; most other objects over 0.3."""

HAND_CONVINCING_CERTAINTY: Final = 0.5
"""Ends the attempts. Reached by all but 3 of 1,533 palms of the development sets."""

HAND_CONVINCING_THUMB_LIFT: Final = 0.15
"""In distances of landmarks 5 and 17. Reached by 99 % of palms."""

HAND_CONVINCING_RESIDUAL: Final = 0.12
"""Constrained palms have 0.07 at most."""

HAND_MIN_PALM_CERTAINTY: Final = 0.15
"""After all attempts. The lowest of 1,533 palms has 0.18."""

HAND_MIN_THUMB_LIFT: Final = 0.1
"""After all attempts, in distances of landmarks 5 and 17."""

# Gallery

SHORT_LIST_ROWS: Final = 100
"""Per probe, for the exact comparison; loses no mated reference in a million rows of 256
numbers."""

SCANNED_ROWS: Final = 400
"""Rows, at least, from a scan of packed rows to the exact cosine."""

SCANNED_SHARE: Final = 0.0016
"""The same as a share of all rows; loses none of 11,324 drawn palms in a million; E37."""

COARSE_ROWS: Final = 400
"""Of these, per probe, the nearest by the cosine, whose coarse codes are compared; E58."""

TWO_BIT_DIMENSION: Final = 256
"""Longest vector packed with two bits a number; E33."""

BY_VECTOR_GROUPS: Final = 2
"""Of those compared, chosen by their vectors alone; E58."""

COMPARED_GROUPS: Final = 8
"""Of a packed gallery's short list, for every search; E58."""

ALIKE_SCORE: Final = 0.65
"""Reached by nine in ten mated comparisons, and by less than one non-mated in 10^6."""

COARSE_MAX_SHIFT: Final = 4
"""Cells, in x and in y, by which coarse codes are shifted; E58."""

COARSE_WEIGHT: Final = 16.0
"""Of a coarse code's distance against the cosine, in the order of a short list; E58."""

PACKED_SEGMENT_ROWS: Final = 1 << 20
"""Addressed at once: 50 MB (384 numbers, 1 bit), taken as they are used. Each costs a scan its
own list of the nearest: 0.2 ms."""

EXACT_GALLERY_ROWS: Final = 20_000
"""Above, scanning packed rows pays."""

# Competitive code

CODE_DIRECTIONS: Final = 6
"""30 degrees apart. Kong and Zhang 2004."""

CODE_CELLS: Final = 32
"""In x and y: one for every 4 pixels of the region."""

CODE_BYTES: Final = 4 * CODE_CELLS * CODE_CELLS // 8
"""Four bit planes of one code."""

CODE_SCALES: Final = ((12.0, 12.0, 3.1), (4.5, 9.0, 2.325))
"""Of the code and the fine code: Gaussian of the local mean and contrast, then wave length and
sigma of the Gabor kernels across the line, pixels; E2. Ratio of the latter: Kong and Zhang."""

CODE_NORM_FLOOR: Final = 4.0
"""Contrast, in grey levels, below which skin is not amplified further."""

CODE_GAMMA: Final = 0.5
"""Gabor kernel: sigma across the line over sigma along it."""

CODE_KERNEL_PX: Final = 35
"""Gabor kernel: side."""

CODE_BLIND_LEVELS: Final = (8, 247)
"""Grey levels up to and from which a pixel shows no skin."""

CODE_BLIND_MIN_PX: Final = 7
"""Narrower blind spots are creases or glints of the palm."""

CODE_BLIND_REACH_PX: Final = 8
"""Cells this near to a blind spot are masked: the edge of a sleeve is a line that all palms
share; E3."""

COVER_LIMIT: Final = 0.0
"""Log odds from which a cell shows a cover; E77."""

COVER_REACH_CELLS: Final = 3
"""Diameter of the disc by which covers are widened: half a kernel; E77."""

COVER_FLOOR: Final = 8.0
"""Grey levels added to the light that a cover's contrast is relative to."""

COVER_DEPTHS: Final = (9.0, 0.1, 0.18, 9.0)
"""Of that contrast in each band (9: none): deeper is no crease. At most 0.5 % of bare cells."""

COVER_GAINS: Final = (40.0, 40.0, 15.0, 4.0)
"""Of that contrast in the bands beside ``FOCUS_SIGMAS_PX``, finest first."""

COVER_NOISE: Final = (0.008, 0.007, 9.0, 9.0)
"""Mean of that contrast in each band (9: none) that the plainest quarter of cells may have.
More is noise, and the band is divided by how much more; 98 in 100 bare palms have less."""

COVER_BOUND: Final = 4.0
"""Of the contrast times its gain."""

CODE_PLAIN_CELLS: Final = 5
"""Side of a window of cells that are hidden if all have one direction; E72."""

CODE_NON_MATED_DISTANCE: Final = 0.42
"""Mean of different palms at one shift. Distances over fewer cells are drawn towards it by the
square root of their share. Daugman 2007."""

CODE_MAX_SHIFT: Final = 7
"""Cells in x and y. Our regions differ by 8.4 % of the side, others by twice that; E39."""

CODE_TURNS_DEG: Final = (0, -5, 5, -10, 10, -15, 15)
"""Rotations, nearest first."""

CODE_ZOOMS: Final = (1 / 1.1, 1.1)
"""Scale factors, at ``CODE_ZOOMED_TURNS_DEG`` only."""

CODE_ZOOMED_TURNS_DEG: Final = (0, -10, 10)
"""Rotations combined with ``CODE_ZOOMS``."""

CODE_FAR_CELLS: Final = 4
"""Larger shifts count as this one."""

CODE_ROUGHNESS: Final = 0.41
"""Mean difference of neighbouring directions. Sharp palms have 0.39 or more; E40."""

CODE_ROUGHNESS_COST: Final = 0.45
"""Distance per mean roughness deficit of two codes."""

CODE_TILE_CELLS: Final = 8
"""Side of tiles, which may move one cell further than the code; E2."""

CODE_TILE_MIN_CELLS: Final = 8
"""For a tile to count."""

REPEAT_DEFICIT: Final = 0.04
"""A score this near to a template's own is a copy's. Of 18,694 pairs taken one after another
the nearest is 0.042 away; E47."""

CODE_FINE_LEAD: Final = (0.02, 0.2, 0.9)
"""By how much the fine code's score may exceed the code's, and what this loses for the share of
cells that are hidden below the last number: covers and their edges are fine; E2."""

# Alignment of a claimed palm; E78

DENSE_CELLS: Final = 64
"""In x and y of a dense code: one for every 2 pixels of the region."""

DENSE_BYTES: Final = len(CODE_SCALES) * 4 * DENSE_CELLS * DENSE_CELLS // 8
"""Of both dense codes."""

ALIGN_BLOCKS: Final = 7
"""In x and y: 10 × 10 cells of the reference each, four apart."""

ALIGN_PASSES: Final = ((12, 3, 2.5), (4, 6, 1.5), (3, 6, 1.0))
"""Of each pass: largest shift of a block and the scale of its error, dense cells, and the terms
of the warp: 3 are affine, 6 quadratic."""

ALIGN_STIFFNESS: Final = 0.02
"""Weight of a warp's terms against all blocks."""

ALIGN_FLOOR: Final = 0.605
"""Lower scores are not aligned: three in four non-mated ones, 1 % of mates on phones."""

ALIGN_WEIGHTS: Final = (1 / 3, 2 / 3)
"""Of the code and the fine code in the likeness of what lies together."""

ALIGN_GAIN: Final = (0.63, 0.1, 0.8, 0.03)
"""Likeness above which a score rises (of the aligned, one non-mated in 500 has it), how much
more for the share of cells that is hidden below the next number, and the most it rises."""

ALIGN_ROUGH: Final = (0.2, 1.25)
"""How much more likeness is needed for each direction of roughness below the second number.
Neighbouring cells of sharp palms differ by 1.3 directions, of blurred ones by less."""

# Oriented energy

ENERGY_CELLS: Final = 8
"""In x and y. 6 × 8 × 8 numbers."""

ENERGY_SIGMA_PX: Final = 10.0
"""5/8 of a cell. Wider loses rank-1, narrower recall; E4."""

ENERGY_POWER: Final = 0.5
"""Of a line's strength: deep creases must not drown the others."""

ENERGY_TIE: Final = 1.0
"""Difference to the strongest response (about −5) at which another counts nothing."""

# Quality: the value at which a gate closes, and the value that is perfect

QUALITY_FOCUS: Final = (0.16, 0.34)
"""``Quality.focus``. Phone pictures have at least 0.25. Where two have less than 0.2, the FMR
is two to three times the stated one; E42."""

QUALITY_DARK: Final = (14.0, 75.0)
"""Mean grey level. The development sets have at least 55; at 12 a tenth of mates fail; E42."""

DARK_PICTURE_LEVEL: Final = 55
"""Where 95 % of the levels are lower, the side of a hand cannot be seen."""

QUALITY_BRIGHT: Final = (240.0, 232.0)
"""Mean grey level. The development sets have at most 230."""

QUALITY_CLIPPED: Final = (0.50, 0.10)
"""Share of nearly black or white pixels. The development sets have 0.23 at most; E42."""

QUALITY_INSIDE: Final = (0.92, 1.0)
"""Share inside the picture. The development sets have at least 0.99."""

QUALITY_SCALE_PX: Final = (63.5, 128.0)
"""Side in the sample. At 48 the FMR is twenty times the stated one; E42."""

QUALITY_RESIDUAL: Final = (0.13, 0.05)
"""Above 0.13 half of the mated comparisons fail."""

QUALITY_NOISE: Final = (4.6, 1.6)
"""``Quality.noise``: white noise has 4.4, noise of 8 grey levels 2.9; 98 in 100 pictures of the
development sets 1.6 at most. It refuses none of them."""

QUALITY_TEXTURE: Final = (0.0, 0.5)
"""Grey levels of fine detail, exceeded by 98 in 100 pictures of the development sets."""

SEEN_SHARE: Final = 0.42
"""Least share of a code's cells that show palm; E77."""

ENROLLED_SEEN_SHARE: Final = 0.6
"""The same for an enrolment, whose samples many probes are compared with; E77."""

FOCUS_SIGMAS_PX: Final = (1.0, 2.0, 6.0)
"""Fine detail lies between the first two Gaussians, coarse between the last two."""

FOCUS_FLOOR: Final = 0.25
"""Grey levels added to the coarse detail: a surface without texture is not sharp."""

# Templates

TEMPLATE_SIZES: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "palmnet-1": (384, CODE_BYTES),
        "palmnet-2": (384, CODE_BYTES),
        "palmnet-3": (384, len(CODE_SCALES) * CODE_BYTES),
    }
)
"""Vector length and code bytes of each known extractor."""

# Calibration

CALIBRATION_SAFETY: Final = 10.0
"""Factor on stated false match rates. Other sensors had 1.6 to 2.5 times the calibrated ones;
E6."""
