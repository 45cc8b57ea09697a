"""TODO benchmarks/accuracy/report."""
