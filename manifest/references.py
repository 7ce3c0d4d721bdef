"""Add two constant reference features, so that D also responds to the means of features.

ManiFeSt compares the relations between features. A feature that is shifted by +delta/2 in one class
and by -delta/2 in an equally large one has the same expected distances to all others in both, so
the score does not detect it. Two references are added: the constant columns ``r1 = m - 2 s`` and
``r2 = m + 2 s``, where m and s are the mean and standard deviation of all values of X. Then ::

    ||x_i - r 1||^2 = n_l (var_l(x_i) + (mean_l(x_i) - r)^2)

The kernel of each class includes the references; the kernel scale is that of the real features. A
difference operator then has two parts at each scale: the association part ``diag |D|`` over the
real features, and the mean part ``|D[i, r1] - D[i, r2]|``.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import squareform

from manifest.geometries import GEOMETRIES
from manifest.kernels import kernel_scale, squared_feature_distances, unit_magnitude
from manifest.linalg import EPS, diagonal
from manifest.spd import absolute_diagonal
from manifest.trust import SHARE

#: Kernel scales, as multiples of the median distance between the features of a class.
SCALE_FACTORS = (0.1, 0.3, 1.0, 2.0)
#: Distance of the references from the mean of all values, in standard deviations.
REACH = 2.0
#: The number of references; they come before the features.
_N = 2
#: The entries of a row of D that make the association part of the Euclidean geometry.
_LARGEST = 3


def with_references(X):
    """Divide X by a unit, put the two references before its columns, and return both."""
    X, unit = unit_magnitude(X)
    m, s = X.mean(), X.std()
    places = np.broadcast_to([m - REACH * s, m + REACH * s], (len(X), _N))
    return np.hstack([places, X]), unit


class LabelledDistances:
    """The squared distances between references and features in each class, for any labels.

    They are sums over samples. Those of the last class are therefore the total minus all others.
    Only the total is stored, because the others take less time than one eigenvector. X is the
    result of `with_references`; the codes of the classes are 0..C - 1, of shape (n_samples,).
    """

    def __init__(self, X, codes):
        self._X = X
        self.n_features = X.shape[1] - _N
        self._codes = codes
        self._last = int(np.argmax(np.bincount(codes)))
        total = self._of(self._last)
        self._first_medians = {self._last: self._median(total)}
        for code in self._others():
            other = self._of(code)
            self._first_medians[code] = self._median(other)
            total += other
        self._total = total
        self.medians = self._first_medians

    def label(self, codes):
        """Use permuted labels. A median of zero is replaced by that of the first labels."""
        self._codes = codes
        medians = {code: self._median(one) for code, one in self._condensed()}
        self.medians = {code: own or self._first_medians[code] for code, own in medians.items()}

    def kernels(self, factor, labels, unit):
        """Return the kernel of each class, at the scale ``factor`` times the median distance.

        A scale of zero raises a ValueError.
        """
        scales = [
            kernel_scale(self.medians[code], label, unit, factor)
            for code, label in enumerate(labels)
        ]
        kernels = {}
        for code, exponents in self._condensed():
            exponents *= -0.5 / scales[code] ** 2
            kernel = squareform(np.exp(exponents, out=exponents), checks=False)
            diagonal(kernel)[...] = 1.0
            kernels[code] = kernel
        return [kernels[code] for code in range(len(labels))]

    def _others(self):
        return [code for code in range(self._codes.max() + 1) if code != self._last]

    def _of(self, code):
        distances = squared_feature_distances(self._X[self._codes == code])
        return squareform(distances, checks=False)

    def _condensed(self):
        """Yield each class with its distances above the diagonal, which may be overwritten."""
        last = self._total.copy()
        for code in self._others():
            other = self._of(code)
            last -= other
            yield code, other
        yield self._last, np.maximum(last, 0.0, out=last)

    def _median(self, condensed):
        # Pairs of features follow all pairs with a reference.
        return float(np.median(np.sqrt(condensed[2 * self.n_features + 1 :])))


@dataclass(frozen=True)
class Parts:
    """The parts of a difference operator, each of shape (n_features,), and related values."""

    association: np.ndarray
    mean: np.ndarray
    #: Parts that vary by no more than this are rounding; see `manifest.trust`.
    rounding: float
    #: M minus the shift of all kernels, over the features alone, with unit diagonal; or None.
    similarity: np.ndarray | None
    warnings: list


def parts_of(kernels, labels, geometry, *, similarity=False):
    """Return the `Parts` of kernels whose first rows are the references; the list is emptied.

    For more than two classes, each part of a feature is the largest over the operators ``D_l``.
    `similarity` asks for the similarity as well.
    """
    compared = GEOMETRIES[geometry](kernels, labels)
    kernels.clear()
    association = ASSOCIATIONS[geometry]
    shared = similarity_of(compared) if similarity else None
    rounding, warnings = compared.magnitude * EPS / SHARE, compared.warnings
    cores = compared.differences()
    if len(labels) == 2:
        only = [next(cores)]
        del compared, cores  # whose memory the eigenvectors take
        rows = [_split(only, association)]
    else:
        rows = [_split([core], association) for core in cores]
    mean, associations = (np.array(part).max(axis=0) for part in zip(*rows, strict=True))
    return Parts(associations, mean, rounding * (_N + mean.size), shared, warnings)


def largest_entries(D):
    """Return the mean of the three largest ``|D_ij|`` of each feature i, or of all if fewer."""
    sizes = np.abs(D)
    n = min(_LARGEST, len(sizes))
    sizes.partition(len(sizes) - n, axis=0)
    return sizes[-n:].mean(axis=0)


#: Geometry -> the association part of a difference operator over the features.
ASSOCIATIONS = {"regularized": absolute_diagonal, "euclidean": largest_entries}


def _split(cores, association):
    """Return the mean and the association part of D, removing its lower triangle from the list."""
    core = cores.pop()
    mean = np.abs(core[_N:, 1] - core[_N:, 0])
    features = core[_N:, _N:]
    if association is absolute_diagonal:  # Eigenvectors take the memory of the core.
        features = np.asfortranarray(features)
        del core
    return mean, association(features)


def similarity_of(compared):
    """Return ``S = C^-1/2 (M - delta I) C^-1/2`` over the features, C = ``diag(M - delta I)``.

    All kernels are at least delta times the identity. So is M, since the geometric mean is
    monotone (Bhatia, Positive Definite Matrices, 2007, theorem 4.1.3; for more than two matrices
    Lawson and Lim 2011). S is therefore positive semi-definite. Exact copies have similarity 1,
    because their difference is an eigenvector of M with eigenvalue delta.
    """
    S = compared.mean()[_N:, _N:]
    diagonal(S)[...] -= compared.delta
    sizes = np.sqrt(np.maximum(diagonal(S), np.finfo(np.float64).tiny))
    S = S / sizes
    S /= sizes[:, None]
    diagonal(S)[...] = 1.0
    return S
