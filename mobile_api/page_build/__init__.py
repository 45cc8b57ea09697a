"""Builds the phone page: parameters and networks of the engine in, hashed files out.

``make`` runs ``python -m mobile_api.page_build``. parameters.py and networks.py write
phone_page/generated, node.py bundles phone_page into static/, which api/page.py serves. Needs
Node; without it the page sends pictures instead of templates.
"""
