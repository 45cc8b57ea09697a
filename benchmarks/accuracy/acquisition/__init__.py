"""TODO benchmarks/accuracy/acquisition."""
