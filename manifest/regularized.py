"""A well-posed variant of both algorithms: Algorithm 1 on the kernels ``K_l + delta I``.

If a kernel is singular, Algorithm 1 is undefined, and rounding decides how Algorithm 2 pairs the
remaining directions of the two ranges. Adding the same small multiple of the identity to all
kernels avoids both. The score is then well defined: permuting the features permutes it, and
swapping the classes does not change it. A direction with eigenvalue l in one kernel and 0 in the
other contributes 1/2 sqrt(l delta) log(l / delta), which tends to zero with delta.
"""

import numpy as np

from manifest.decompositions import smallest_eigenvalue
from manifest.linalg import exceeds, fortran, is_positive_definite

#: The smallest eigenvalue after the shift, as a share of the mean diagonal (1 for the kernel of
#: Eq. 1). Rounding changes the score by about eps divided by it.
FLOOR = 1e-5


def regularization(*kernels):
    """Return the smallest shift that lifts every eigenvalue of all kernels to the floor.

    ``delta = max(0, FLOOR * t - min_l lambda_min(K_l))``, where t is the mean diagonal entry of all
    kernels, two or more of shape (d, d). It is zero if all kernels are well conditioned. It does
    not depend on the order of the features or of the classes, and is continuous in the kernels. The
    smallest eigenvalue of a kernel that is not numerically positive definite is taken as zero,
    without computing it.
    """
    t = sum(np.trace(K) for K in kernels) / (len(kernels) * len(kernels[0]))
    floor, low = FLOOR * t, []
    for K in kernels:
        if not exceeds(K, floor):
            if not is_positive_definite(K):
                return floor
            low.append(K)
    return max((floor - smallest_eigenvalue(fortran(K), "a kernel") for K in low), default=0.0)
