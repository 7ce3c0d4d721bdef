"""Rankings judged by the accuracy of an SVM on nested feature subsets."""
