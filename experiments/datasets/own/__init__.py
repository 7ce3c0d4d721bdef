"""Read a user's own table, by a contract: what does not follow it is refused with a cure."""
