"""Rankings judged by the relevant features among the best, while samples get fewer or worse."""
