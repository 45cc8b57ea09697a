"""A gallery on Milvus: for more references than one machine holds, or shared by many machines.

Milvus stores rotated vectors and encrypted codes, scans all vectors (FLAT) and returns a short
list; scores are computed here. ``stored`` follows a database. Needs the extra ``milvus``.
"""
