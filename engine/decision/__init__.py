"""From comparison scores to a match or non-match.

``calibration`` turns a target FMR or FPIR into a threshold (files in ``calibrations``),
and estimates the FNMR at it; ``decide`` applies it.
"""
