"""Accuracies of an RBF SVM over the cells of a grid: the distances are computed once."""
