"""``thenar bench``: accuracy, speed and robustness, measured from outside.

What users run lies at the top, one-off studies in ``studies``. ``datasets`` reads pictures and
templates, ``harness`` runs and drives a service, ``measurement`` holds rates, times, targets
and result files. ``results`` keeps the newest results.
"""
