"""Lines → competitive code and oriented energy.

See the modules of ``engine/features``. Octets are computed in floats, exact up to 256.

A trained network gets cells of the competitive code, and oriented energy, as in training
(``models.training.sample_store``) but without rounding to eight bits.
"""

from typing import Final

import numpy as np

from engine.features.code_bytes import DIRECTION_BITS
from engine.features.competitive_code import ENERGY_DIMENSION, cell_windows
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    DENSE_CELLS,
    ENERGY_POWER,
    ENERGY_TIE,
    ROI_SIZE_PX,
)
from models.palm_graph.region import Fragment, real, whole

CODE: Final = """
  at_cells = Slice (responses, cells_start, cells_end, axes_12, cells_step)
  seen_cells = Slice (seen, cells_start, cells_end, axes_01, cells_step)
  at_dense = Slice (responses, nothing_12, cells_end, axes_12, dense_step)
  seen_dense = Slice (seen, nothing_12, cells_end, axes_01, dense_step)
  winner = ArgMin <axis = 0, keepdims = 0> (at_dense)
  thin_winner = ArgMin <axis = 0, keepdims = 0> (thin_responses)
  winner_bits = Gather <axis = 1> (direction_bits, winner)
  thin_winner_bits = Gather <axis = 1> (direction_bits, thin_winner)
  shown_bits = Mul (winner_bits, seen_dense)
  thin_shown_bits = Mul (thin_winner_bits, seen_dense)
  seen_bits = Unsqueeze (seen_dense, axis_0)
  bits = Concat <axis = 0> (shown_bits, seen_bits, thin_shown_bits, seen_bits)
  bits_at_cells = Slice (bits, dense_start, cells_end, axes_12, dense_step)
  dense_bits = Reshape (bits, octets_shape)
  octets_bits = Reshape (bits_at_cells, octets_shape)
  dense_octets = MatMul (dense_bits, bit_values)
  octets = MatMul (octets_bits, bit_values)
  dense = Cast <to = 2> (dense_octets)
  code = Cast <to = 2> (octets)
"""

ENERGY: Final = """
  strongest = ReduceMin (responses, axis_0)
  depth = Neg (strongest)
  depth_sound = Max (depth, nought)
  depth_power = Pow (depth_sound, energy_power)
  strength = Mul (depth_power, seen)
  behind = Sub (responses, strongest)
  behind_share = Div (behind, energy_tie)
  tied = Sub (one, behind_share)
  tied_share = Max (tied, nought)
  energy = Mul (tied_share, strength)
  energy_rows = MatMul (windows, energy)
  windows_turned = Transpose (windows)
  energy_cells = MatMul (energy_rows, windows_turned)
  gathered = Sqrt (energy_cells)
  direction_mean = ReduceMean (gathered, axes_12)
  above_mean = Sub (gathered, direction_mean)
  descriptor = Reshape (above_mean, flat)
  length = ReduceL2 (descriptor, axis_0)
  is_void = Less (length, epsilon)
  length_sound = Max (length, epsilon)
  descriptor_even = Div (descriptor, length_sound)
  energy_vector = Where (is_void, void_number, descriptor_even)
"""


def code_fragment() -> Fragment:
    """Return the step to ``code`` (1024,) and ``dense`` (4096,), uint8.

    A dense code has twice as many cells as the code, and the code's among them.
    """
    step, dense_step = ROI_SIZE_PX // CODE_CELLS, ROI_SIZE_PX // DENSE_CELLS
    constants = {
        **real(direction_bits=np.array(DIRECTION_BITS).T, bit_values=2.0 ** np.arange(8)),
        **whole(
            cells_start=(step // 2, step // 2), cells_end=(ROI_SIZE_PX, ROI_SIZE_PX),
            cells_step=(step, step), octets_shape=(-1, 8), axes_12=(1, 2), nothing_12=(0, 0),
            dense_start=(1, 1), dense_step=(dense_step, dense_step),
        ),
    }  # fmt: skip
    return Fragment(CODE, constants)


def energy_fragment() -> Fragment:
    """Return the step to ``energy_vector`` (384,) of norm 1."""
    constants = {
        **real(
            energy_power=ENERGY_POWER, energy_tie=ENERGY_TIE,
            windows=cell_windows(ROI_SIZE_PX), void_number=ENERGY_DIMENSION**-0.5,
        ),
        **whole(flat=(-1,)),
    }  # fmt: skip
    return Fragment(ENERGY, constants)


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
