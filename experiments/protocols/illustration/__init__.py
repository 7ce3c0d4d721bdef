"""The operators M and D and the score of ManiFeSt, shown as images."""
