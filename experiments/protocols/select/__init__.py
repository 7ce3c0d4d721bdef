"""Which features of a user's table to keep, and how sure that is."""
