"""The searchable gallery: a replica of the encrypted references in the database.

``replica`` keeps itself up to date and hands ``recognition`` an engine gallery. The gallery
lives on disk (``local_store``) or on a server (``milvus``). ``template_encryption`` encrypts
and decrypts templates, and changes their key.
"""
