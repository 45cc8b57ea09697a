"""TODO engine/comparison/kernels."""
