"""Loads a kernel when imported, for the process that others are forked from.

Numba's first load takes a quarter of a second.
"""

from engine.comparison.compare import compare
from tests.support.palms.fake_engine import template

compare(template(1), template(2))
