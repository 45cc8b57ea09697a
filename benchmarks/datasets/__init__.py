"""Pictures and templates that are measured; the data itself stays outside git.

``manifest`` reads a folder of pictures, ``samples`` decodes them, ``drawn`` reads templates of
drawn palms.
"""
