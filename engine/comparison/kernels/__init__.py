"""Compiled loops of the code comparison.

``tiles`` is the entry; ``shifts`` compares tiles at every shift, ``poses`` finds the best pose,
``build`` compiles with numba, ``machine_code`` keeps what was compiled.
"""
