"""TODO benchmarks/accuracy/rates."""
