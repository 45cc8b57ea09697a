"""The parts of a drawn hand: its shape and its skin, with lines, creases and knuckles."""
