"""One-to-many search: templates in, candidate lists out, behind one small port.

``port`` says what a gallery promises. ``search`` implements it in memory and is the only folder
that imports faiss; ``rows`` holds its data; ``durability`` keeps a snapshot of it on disk;
``milvus`` puts it on a server; ``protection`` rotates vectors; ``near`` aligns candidates that
lack little. mobile_api chooses one.
"""
