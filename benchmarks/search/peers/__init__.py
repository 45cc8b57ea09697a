"""Other searchers of vectors: what a scan of packed rows is measured against.

Ours and FAISS's exact search are always there. Graphs and cells of FAISS, hnswlib and usearch
where they are installed, and tables of PostgreSQL with pgvector and of Milvus where a server is
named, are each measured at several efforts, which is what recall is bought with.
"""
