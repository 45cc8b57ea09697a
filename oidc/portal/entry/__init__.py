"""How developers enter the portal: by ``palm`` or, with ``PORTAL_PALM=false``, by ``links``.

``common_pages`` are those of both ways.
"""
