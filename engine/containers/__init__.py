"""Reads the outside of a picture file, before anything is decoded.

Each module knows one container and answers with a ``StillPicture``: size, orientation, and the
same picture without everything that is not the picture (metadata, colour profiles, animation,
thumbnails, trailing data). The image codec sees only that, so its rarely used parts are out of
a stranger's reach.
"""
