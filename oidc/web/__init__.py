"""HTTP in, HTTP out; no rule of the protocol lives here."""
