"""From comparison scores to a match or non-match.

``calibration`` turns a target FMR or FPIR into a threshold (files in ``calibrations``),
``mated_scores`` estimates the FNMR at it, ``decide`` applies it.
"""
