"""Comparison scores of two templates. ISO/IEC 2382-37.

``compare`` aligns two codes in every pose (compiled in ``kernels``),
subtracts the vector penalty and fuses several probes. Scores go to
``gallery`` and ``decision``.
"""
