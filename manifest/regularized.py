"""A well-posed relative of both algorithms: Algorithm 1 on the kernels ``K_l + delta I``.

If a kernel is singular, Algorithm 1 is undefined and Algorithm 2 pairs left-over directions of
the two ranges by rounding. Adding the same small multiple of the identity to all kernels makes a
score that can be trusted by construction: permuting the features permutes it, and swapping the
classes does not change it. A direction that one kernel has with eigenvalue l and the other lacks
contributes 1/2 sqrt(l delta) log(l / delta), which vanishes with delta.
"""

import numpy as np

from manifest.decompositions import smallest_eigenvalue
from manifest.linalg import exceeds, fortran, is_positive_definite

#: The smallest eigenvalue that all kernels are lifted to, as a share of their mean diagonal (1 for
#: the kernel of Eq. 1). Rounding moves the score by about eps over it.
FLOOR = 1e-5


def regularization(*kernels, floor=FLOOR):
    """The smallest shift of all kernels that lifts every eigenvalue to the floor.

    ``delta = max(0, floor * t - min_l lambda_min(K_l))`` with t the mean diagonal entry of all
    kernels, two or more of shape (d, d). It is zero if all kernels are well conditioned already, it
    does not depend on the order of the features or of the classes, and it is continuous in the
    kernels. The smallest eigenvalue of a kernel that is not numerically positive definite counts as
    zero, which saves computing it.
    """
    t = sum(np.trace(K) for K in kernels) / (len(kernels) * len(kernels[0]))
    low = []
    for K in kernels:
        if not exceeds(K, floor * t):
            if not is_positive_definite(K):
                return floor * t
            low.append(K)
    return max((floor * t - smallest_eigenvalue(fortran(K), "a kernel") for K in low), default=0.0)
