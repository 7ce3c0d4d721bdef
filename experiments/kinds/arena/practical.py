"""The Bayesian signed-rank test with a region of practical equivalence."""

import numpy as np

#: Draws of the posterior, and their seed: a table is the same each time it is made.
DRAWS, SEED = 20_000, 0
#: The weight of the prior's one observation, a difference of zero.
PRIOR = 0.5


def signed_rank(differences, equivalence: float) -> tuple[float, float, float]:
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
    z = np.concatenate([[0.0], np.asarray(differences, dtype=np.float64)])
    sums = z[:, None] + z
    weights = np.random.default_rng(SEED).dirichlet([PRIOR, *[1.0] * (len(z) - 1)], DRAWS)

    def share(values):
        counted = (values > 2 * equivalence) + 0.5 * (values == 2 * equivalence)
        return np.einsum("ni,ij,nj->n", weights, counted, weights, optimize=True)

    above, below = share(sums), share(-sums)
    largest = np.argmax([above, 1 - above - below, below], axis=0)
    shares = np.bincount(largest, minlength=3) / DRAWS
    return float(shares[0]), float(shares[1]), float(shares[2])
