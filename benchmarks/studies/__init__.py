"""TODO benchmarks/studies."""
