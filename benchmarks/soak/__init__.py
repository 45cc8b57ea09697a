"""A day in minutes: people sign in while processes are killed and the database restarts."""
