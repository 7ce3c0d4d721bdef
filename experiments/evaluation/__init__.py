"""Evaluation of rankings and classifiers: methods, splits, scores, selection, statistics."""
