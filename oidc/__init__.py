"""The OpenID provider. It never sees a picture or a template.

It knows people and no palms: ``handoff`` is told which account a login is for. A login passes
through these rooms:

    web             the HTTP routes: reads the request, renders the page
    authorization   checks the authorization request, decides whether a palm is needed
    login           creates the login and its QR code, waits, issues the code
    handoff         the phone's half: claims the ticket, records the palm's outcome
    accounts        turns the account into a pairwise subject; consents, sessions
    token_endpoint  authenticates the client, exchanges the code for tokens
    tokens, keys    make, sign and verify tokens
    logout          ends sessions and tells the clients

``clients`` registers relying parties, ``protocol`` holds parameters and addresses, ``storage``
the database, ``jobs`` what runs in the background, ``portal`` the pages for developers.
"""
