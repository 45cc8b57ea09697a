"""Lines → the inputs of a trained network: cells of the competitive code, and oriented energy.

As in training (``models.training.lines``), without rounding to eight bits.
"""

from typing import Final

from engine.features.competitive_code import ENERGY_DIMENSION
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from models.palm_graph.fragment import Fragment

NETWORK_INPUTS: Final = {
    "responses": (CODE_DIRECTIONS, CODE_CELLS, CODE_CELLS),
    "seen": (CODE_CELLS, CODE_CELLS),
    "energy": (ENERGY_DIMENSION,),
}
"""Inputs of a network by name, with their shape for one region."""

NETWORK_PREFIX: Final = "network/"
"""Prefix of every name of an embedded network."""

NETWORK_LINES: Final = ("line_cells", "skin_cells", "energy_row")
"""The graph's names for the network's inputs, in that order."""

_TEXT: Final = """
  line_cells = Unsqueeze (at_cells, axis_0)
  skin_cells = Unsqueeze (seen_cells, axis_0)
  energy_row = Unsqueeze (energy_vector, axis_0)
"""


def network_input_fragment() -> Fragment:
    """Return the step to a network's inputs, one region."""
    return Fragment(_TEXT, {})
