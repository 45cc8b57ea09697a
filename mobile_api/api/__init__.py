"""HTTP routes under ``/mobile/v1`` and the phone page under ``/m``.

``http`` authenticates and bounds each request; the routes translate between messages and use
cases. No rules here.
"""
