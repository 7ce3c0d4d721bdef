"""The Bayesian signed-rank test with a region of practical equivalence."""

import numpy as np
import numpy.typing as npt

#: Draws of the posterior, and their seed: a table is the same each time it is made.
DRAWS, SEED = 20_000, 0
#: The weight of the prior's one observation, a difference of zero.
PRIOR = 0.5


def signed_rank(differences: npt.ArrayLike, equivalence: float) -> tuple[float, float, float]:
    """The probabilities that a difference is above, within and below practical equivalence.

    The differences z_1, ..., z_n and a prior observation z_0 = 0 have Dirichlet weights w, with
    concentrations 1 and 1/2. Each draw of w has

        above = sum_ij w_i w_j [z_i + z_j > 2 r],    below = sum_ij w_i w_j [z_i + z_j < -2 r],

    pairs on the border counting half, and the rest is within. The probability of each is the share
    of draws in which it is the largest (Benavoli, Corani, Demsar and Zaffalon 2017, "Time for a
    change: a tutorial for comparing multiple classifiers through Bayesian analysis", Journal of
    Machine Learning Research 18).

    Parameters
    ----------
    differences : array of shape (n,)
        One for each independent data set, at least one.
    equivalence : float
        Differences of at most r > 0 to either side do not matter.

    Returns
    -------
    above, within, below : float
        They sum to 1.
    """
    observed = np.asarray(differences, dtype=np.float64)
    z = np.concatenate([[0.0], observed])
    sums = z[:, None] + z
    concentrations = [PRIOR, *[1.0] * len(observed)]
    weights = np.random.default_rng(SEED).dirichlet(concentrations, DRAWS)

    def share_above(values: np.ndarray) -> np.ndarray:
        is_above = values > 2 * equivalence
        is_border = values == 2 * equivalence
        counted = is_above + 0.5 * is_border
        return np.einsum("ni,ij,nj->n", weights, counted, weights, optimize=True)

    above = share_above(sums)
    below = share_above(-sums)
    largest = np.argmax([above, 1 - above - below, below], axis=0)
    p_above, p_within, p_below = np.bincount(largest, minlength=3) / DRAWS
    return float(p_above), float(p_within), float(p_below)
