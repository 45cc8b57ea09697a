"""The cookies: of a login, of the session, of a known browser, and of forms."""
