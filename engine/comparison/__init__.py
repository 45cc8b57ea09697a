"""Comparison scores of two templates. ISO/IEC 2382-37.

``compare`` aligns two codes in every pose (``alignment_poses``, compiled in ``kernels``) and
subtracts the ``vector_penalty``; ``multi_sample`` fuses several probes. Scores go to
``gallery`` and ``decision``.
"""
