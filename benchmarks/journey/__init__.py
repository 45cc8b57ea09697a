"""TODO benchmarks/journey."""
