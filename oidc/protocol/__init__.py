"""Protocol values without storage: parameters, URIs, addresses, identifiers, responses."""
