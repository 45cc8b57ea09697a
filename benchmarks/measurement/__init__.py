"""Rates with intervals, times and result files, for every benchmark."""
