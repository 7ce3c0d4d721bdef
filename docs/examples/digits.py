"""See what ManiFeSt sees: which pixels tell a 4 from a 9, and in which directions.

The operators are those of the paper: M is the mean of the two kernels over the pixels, D the
logarithmic map of the first kernel at M. An eigenvector of D is an image; the score adds them up.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from manifest import operators

images, digits = load_digits(return_X_y=True)
chosen = np.isin(digits, [4, 9])
found = operators(images[chosen] / 16, digits[chosen])

pictures = {
    "mean 4": images[digits == 4].mean(axis=0),
    "mean 9": images[digits == 9].mean(axis=0),
    "eigenvector 1 of D": found.difference_eigenvectors[:, 0],
    "eigenvector 2 of D": found.difference_eigenvectors[:, 1],
    "score": found.score,
}
figure, axes = plt.subplots(1, len(pictures), figsize=(12, 3))
for axis, (title, pixels) in zip(axes, pictures.items(), strict=True):
    axis.imshow(pixels.reshape(8, 8), cmap="viridis")
    axis.set(title=title, xticks=[], yticks=[])
figure.savefig("digits_4_9.png", dpi=120)
best = np.argsort(-found.score)[:5]
print("the five pixels with the highest score (row, column):", [divmod(int(i), 8) for i in best])
