"""TODO benchmarks/search/report."""
