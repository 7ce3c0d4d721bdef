"""ManiFeSt together with filters, or with itself: scorers that a config names by their place.

`weighted` adds two scores with a weight, `ranks` combines rankings, `pooled` takes several kernel
scales, `greedy` avoids redundant features. All of these use the exact score of ManiFeSt in its
geometry "regularized", whose memory grows with the square of the number of features: beyond some
thousand features NumPy may raise a MemoryError. `calibrated` has no kernel scale, chooses features
that differ from each other, and divides many features into blocks.
"""
