"""Rankings from a few samples of each class, judged by an SVM on all other samples."""
