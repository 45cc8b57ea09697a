"""TODO benchmarks/accuracy/scoring."""
