"""What people read: the paper's claims beside the results, figures, the page, tables as text."""
