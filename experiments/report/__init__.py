"""Output for readers: the paper's claims with our results, figures, pages and tables."""
