"""``thenar bench extract``: time from picture to template, stage by stage."""
