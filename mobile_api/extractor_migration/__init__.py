"""Changing the extractor while the service runs; unused outside a migration.

Two extractors search their own galleries (``identification``), pictures give a template of each
(``acquisition``), enrolment checks both for duplicates, and each login moves a palm one step to
the current extractor (``migration``). ``load`` puts these parts in place of ``recognition``'s.
"""
