"""Accuracies of an RBF SVM in every cell of a grid, from distances that are computed once."""
