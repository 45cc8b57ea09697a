"""TODO benchmarks/calibration."""
