"""``thenar bench search``: how fast a gallery is, what it loses, what it costs."""
