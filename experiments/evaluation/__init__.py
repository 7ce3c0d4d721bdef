"""How a ranking or a classifier is judged: methods, splits, scores, selection, statistics."""
