"""Compiled loops of the code comparison.

``tiles`` is the entry; ``shifts`` compares the tiles of two codes at every shift, ``poses``
finds the best pose and shift, ``build`` compiles with numba.
"""
