"""Changing the extractor while the service runs; nothing here runs outside a migration.

Two extractors search their own galleries (``identification``), pictures give a template of each
(``acquisition``), enrolment checks both for duplicates, and each login moves a palm a step from
the previous gallery to the current one (``migration``). ``composition`` plugs these parts in
where ``recognition`` would otherwise stand alone.
"""
