"""Long runs against the gallery: kills, flipped bits, many threads. Each can be run small."""
