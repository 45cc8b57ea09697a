"""TODO mobile_api/enrolment."""
