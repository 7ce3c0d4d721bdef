"""Output for readers: the paper's claims with the results, figures, pages, tables as text."""
