"""Parses picture files before anything is decoded.

Each module reads one format and returns a ``StillPicture``: size, orientation, and the file
without metadata, profiles, animation and trailing data. The image codec sees only that, so
attackers cannot reach its rarely used parts.
"""
