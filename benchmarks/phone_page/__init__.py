"""The phone's page in a real browser, with drawn hands before a camera made of a file."""
