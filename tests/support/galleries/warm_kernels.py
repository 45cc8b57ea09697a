"""Loads the kernels when imported, for the process that others are forked from.

Numba's first load takes a quarter of a second.
"""

from engine.comparison.compare import prepare

prepare()
