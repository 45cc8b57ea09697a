"""Pages of results: one environment, one style, self-contained SVG plots.

``page`` renders the templates, ``plots`` draws.
"""
