"""Compute the accuracies of an RBF SVM in every cell of a grid from the same distances."""
