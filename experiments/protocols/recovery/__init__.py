"""Rankings judged by the relevant features among the best, on samples drawn anew each time."""
