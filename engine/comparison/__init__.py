"""Comparison scores of two templates. ISO/IEC 2382-37.

``compare`` tries two codes in every pose (compiled in ``kernels``), subtracts the vector
penalty and fuses several probes; ``alignment`` lays a near palm over a reference. Scores go to
``gallery`` and ``decision``.
"""
