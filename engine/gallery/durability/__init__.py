"""A gallery on disk: encrypted rows and codes, a journal, and a manifest that names them.

The directory is a cache of what a database holds. Whatever is found damaged is dropped and
asked for again; nothing is served that did not open under its key at its associated_data.
"""
