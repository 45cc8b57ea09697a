"""Template protection by a secret rotation of vectors (ISO/IEC 24745).

``rotation`` makes the matrices; ``rotated_gallery`` searches a gallery whose memory, files and
server hold rotated vectors only. Codes are protected by encryption alone.
"""
