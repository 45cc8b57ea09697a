"""Search in memory: exact while a gallery is small, packed when it is large.

``exact`` compares every vector (FAISS); ``packed`` scans compressed rows and ranks a short
list exactly; ``adaptive`` starts exact and packs at a limit. Each returns candidates; the
decision is made elsewhere.
"""
