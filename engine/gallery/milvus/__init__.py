"""A gallery on Milvus: for more references than one machine holds, or for many machines.

Milvus keeps turned vectors and sealed codes, scans all vectors (FLAT), and gives a short list;
scores are computed here, as everywhere. Needs the extra ``milvus``.
"""
