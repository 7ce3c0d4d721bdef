"""The operators M and D of 2 x 2 matrices, as points and arrows in their cone."""
