"""Other vector searchers, each measured at several efforts.

FAISS's exact search and our packed rows (``scans``) are always measured; graphs and cells in
memory (``graphs``) if installed; pgvector and Milvus (``servers``) if an address is given.
``choose`` selects them, ``searcher`` is their interface.
"""
