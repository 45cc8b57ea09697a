"""Builds the phone's page: numbers and networks of the engine in, files with hashed names out.

Run by ``make`` as ``python -m mobile_api.page_build``. Needs Node; without it nothing is
built, and the page sends pictures instead of making templates.
"""
