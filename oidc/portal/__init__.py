"""Developer portal: invited developers register clients, see their sign-ins and errors.

They sign in with this provider, of which the portal is an ordinary relying party. ``base``
wraps every route; ``entry`` and ``clients`` are the pages. It works
without scripts. Developers see their own clients only.
"""
