"""The gallery on a Milvus server: all that Milvus needs of this package.

``shared_galleries`` opens and retires galleries for ``gallery.replica``; ``copying`` fills one
from the database for the command ``thenar gallery copy``.
"""
