"""Region → quality measures. See ``engine/quality``."""

from typing import Final

import numpy as np

from engine.parameters import FOCUS_FLOOR
from engine.quality import CLIPPED_LIMITS, GATES
from engine.types import Quality
from models.palm_graph.fragment import Fragment, real, whole

MEASURES: Final = (
    "focus", "exposure", "clipped_share", "residual", "inside_share", "scale_px",
)  # fmt: skip
"""Numbers of the output ``quality``, as in ``engine.types.Quality``."""

MERITS: Final = (*(gate.reason.value for gate in GATES), "clipped")
"""Numbers of the output ``merits``: 1 perfect, 0 at the gate's limit, below 0 or NaN if failed.
Clipped pixels are too dark or too bright; the exposure tells which."""

_BLUR: Final = """
  blur_{name} = Gather <axis = 0> (blurs, place_{name})
  blur_{name}_turned = Transpose (blur_{name})
  {name}_rows = MatMul (blur_{name}, region)
  {name} = MatMul ({name}_rows, blur_{name}_turned)
"""

_TEXT: Final = """
  band_fine = Sub (fine_detail, middle_detail)
  band_coarse = Sub (middle_detail, coarse_detail)
  depth_fine = Abs (band_fine)
  depth_coarse = Abs (band_coarse)
  mean_fine = ReduceMean <keepdims = 0> (depth_fine)
  mean_coarse = ReduceMean <keepdims = 0> (depth_coarse)
  mean_floored = Add (mean_coarse, focus_floor)
  focus = Div (mean_fine, mean_floored)
  exposure = ReduceMean <keepdims = 0> (region)
  clipped_share = ReduceMean <keepdims = 0> (clipped)
  {alone}
  quality = Concat <axis = 0> ({together})
  judged = Gather <axis = 0> (quality, judged_measures)
  from_limit = Sub (judged, limits)
  merit = Div (from_limit, limit_to_perfect)
  merits = Min (merit, one)
"""


def quality_fragment() -> Fragment:
    """Return the step to ``quality``, see ``MEASURES``, and ``merits``, see ``MERITS``."""
    blurs = ("fine_detail", "middle_detail", "coarse_detail")
    text = "".join(_BLUR.format(name=name) for name in blurs) + _TEXT.format(
        alone="\n  ".join(f"{name}_1 = Unsqueeze ({name}, axis_0)" for name in MEASURES),
        together=", ".join(f"{name}_1" for name in MEASURES),
    )
    limits = np.array([*(gate.limits for gate in GATES), CLIPPED_LIMITS])
    constants = {
        **real(
            focus_floor=FOCUS_FLOOR, limits=limits[:, 0],
            limit_to_perfect=limits[:, 1] - limits[:, 0],
        ),
        # The first of the filters evens out contrast.
        **whole(**{f"place_{name}": place + 1 for place, name in enumerate(blurs)}),
        **whole(judged_measures=[*_judged(), MEASURES.index("clipped_share")]),
    }  # fmt: skip
    return Fragment(text, constants)


def _judged() -> list[int]:
    numbered = Quality(0, None, *range(len(MEASURES)))
    return [round(gate.measure(numbered)) for gate in GATES]
