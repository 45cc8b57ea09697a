"""The searchable gallery: a replica of the encrypted references in the database.

``replica`` keeps itself up to date through ``sync`` and hands ``recognition`` an engine
gallery. The gallery lives on disk (``local_store``) or on a server (``milvus``), behind
``ports``. ``template_encryption`` encrypts and decrypts templates; ``rekey`` changes their key.
"""
