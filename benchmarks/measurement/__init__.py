"""TODO benchmarks/measurement."""
