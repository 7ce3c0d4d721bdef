"""How a ranking is judged: relevant features recovered, or the accuracy of an SVM."""
