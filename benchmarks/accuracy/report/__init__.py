"""The report of a set: HTML page, plots, pictures of errors, ``scores.npz``."""
