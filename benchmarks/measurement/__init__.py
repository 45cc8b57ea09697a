"""Rates with intervals, times, targets and result files, for every benchmark."""
