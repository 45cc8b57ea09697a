"""Parses picture files before anything is decoded.

Each module reads one format and returns a ``StillPicture`` without metadata, profiles,
animation and trailing data, so attackers cannot reach rarely used parts of the image codec.
"""
