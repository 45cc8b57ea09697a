"""Files in, tables and pictures out: the commands behind ``thenar engine``.

Services never import it.
"""
