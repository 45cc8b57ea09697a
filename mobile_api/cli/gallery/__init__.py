"""``thenar gallery``: keys, thresholds and copies of the enrolled templates. See ``group``."""
