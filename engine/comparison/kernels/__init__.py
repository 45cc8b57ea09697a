"""The compiled loops of comparison and search, plain functions that numba compiles.

``tiles`` aligns codes: ``shifts`` compares tiles at every shift, ``poses`` finds the best pose.
The gallery uses ``coarse`` and ``half_vectors``. ``compiling`` is the decorator and says where
numba keeps its code; ``prepare`` compiles all of it ahead of time.
"""
