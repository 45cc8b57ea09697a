"""The engineer's bench behind ``thenar engine``: files in, tables and pictures out.

Never imported by a service.
"""
