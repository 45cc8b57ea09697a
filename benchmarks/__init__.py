"""``thenar bench``: accuracy, speed and robustness, measured from outside.

``commands`` has the options, each folder a benchmark. ``datasets`` reads pictures and
templates, ``measurement`` holds rates, times and result files. ``results`` keeps the newest
results.
"""
