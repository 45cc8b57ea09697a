"""One-to-many search of templates, behind a small port. The only importer of faiss."""
