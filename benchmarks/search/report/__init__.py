"""HTML page of a search result, with its plots."""
