"""Times of logins, enrolments and erasures: ``command`` has the options, ``run`` measures."""
