"""Trains the palm network on drawn palms only; needs the extra ``train`` (torch).

No other package imports this one. The input is normalised exactly as the exported graph does.
"""
