"""What a drawn hand is: its shape and its skin, with lines, creases and knuckles."""
