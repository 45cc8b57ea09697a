"""TODO benchmarks/search/population."""
