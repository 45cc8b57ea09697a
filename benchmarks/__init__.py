"""``thenar bench``: accuracy, speed and robustness, measured from outside.

``datasets`` reads pictures and
templates, ``harness`` runs and drives a service, ``measurement`` holds rates, times
and result files. ``results`` keeps the newest results.
"""
