"""Search in memory: every cosine of a small gallery, packed rows of a large one.

``memory_gallery`` scans ``row_store`` (FAISS) and compares a short list exactly. It returns
candidates; ``engine.decision`` decides.
"""
