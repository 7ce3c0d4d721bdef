"""TabNet: choose features step by step by sparse attention (Arik and Pfister 2021)."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp

from .layers import ACTIVATIONS, BatchNorm, cross_entropy, init_dense, init_norm, linear
from .system import InstanceWise

#: Keeps the logarithm of a mask entry finite.
TINY = 1e-15


def sparsemax(z, xp):
    """Return the point of the simplex nearest to each row (Martins and Astudillo 2016).

    p_d = max(0, z_d - tau) with sum_d p_d = 1. With z sorted in descending order, the support is
    the largest k for which 1 + k z_(k) > z_(1) + ... + z_(k).
    """
    ordered = -xp.sort(-z, axis=1)
    total = xp.cumsum(ordered, axis=1)
    size = xp.arange(1, z.shape[1] + 1)
    k = (1.0 + size * ordered > total).sum(axis=1)
    tau = (xp.take_along_axis(total, k[:, None] - 1, axis=1) - 1.0) / k[:, None]
    return xp.maximum(z - tau, 0.0)


@dataclass(kw_only=True, eq=False, repr=False)
class TabNet(InstanceWise):
    """TabNet: interpretable tabular learning by sequential attention.

    In each of n_steps steps, an attentive transformer chooses features by the mask

        M_i = sparsemax(P_(i-1) * h_i(a_(i-1))),   P_i = prod_(j <= i) (relaxation - M_j),

    and a feature transformer maps M_i * x to a_i and to a contribution d_i to the decision. It has
    two gated linear units shared by all steps and two for each step, each with batch normalisation
    and a residual connection scaled by sqrt(1/2). The logits are linear in sum_i relu(d_i).
    Training minimises

        mean cross-entropy + lam mean_i mean_samples sum_d -M_(i,d) log M_(i,d).

    The gates of a sample are sum_i eta_i M_i, where eta_i is the sum of relu(d_i), over their sum.

    Source: Arik and Pfister, "TabNet: Attentive Interpretable Tabular Learning", AAAI 2021. The
    widths of 8, 3 steps, a relaxation of 1.3, Adam and a rate of 0.02 are common for small data;
    the settings for colon are not published. Differences: whole batches are normalised, not virtual
    batches within them; prediction uses the statistics of the training rows; the rate does not
    decay; there is no pretraining.

    Other parameters are those of `EmbeddedClassifier`.

    Parameters
    ----------
    lam : float
        The factor of the entropy of the masks, at least 0.
    relaxation : float
        At least 1. The nearer to 1, the less often a feature is used in several steps.
    width : int
        N_d = N_a, at least 1.
    n_steps : int
        Number of decision steps, at least 1.
    """

    lam: float = 1e-3
    relaxation: float = 1.3
    width: int = 8
    n_steps: int = 3
    learning_rate: float = 0.02
    max_epochs: int = 200
    batch_size: int | None = 256

    _numbers: ClassVar = ("lam",)

    def initial(self, rng, n_features, n_classes):
        both = 2 * self.width

        def block(n_in):
            # Twice the width: the second half is the gate of the gated linear unit.
            return {**init_dense(rng, n_in, 2 * both), **init_norm(2 * both)}

        return {
            "input": init_norm(n_features),
            "shared": [block(n_features), block(both)],
            "own": [[block(both), block(both)] for _ in range(self.n_steps + 1)],
            "attention": [
                {**init_dense(rng, self.width, n_features), **init_norm(n_features)}
                for _ in range(self.n_steps)
            ],
            "output": init_dense(rng, self.width, n_classes),
        }

    def _decision(self, params, x, norms, xp):
        """Return logits, the mask of each step, and the size of its contribution."""
        h = norms(x, params["input"], xp)
        a = self._transformed(params, 0, h, norms, xp)[:, self.width :]
        prior, decision, masks, sizes = xp.ones(x.shape), 0.0, [], []
        for step, layer in enumerate(params["attention"]):
            mask = sparsemax(prior * norms(linear(layer, a), layer, xp), xp)
            prior = prior * (self.relaxation - mask)
            out = self._transformed(params, step + 1, mask * h, norms, xp)
            a = out[:, self.width :]
            contribution = ACTIVATIONS["relu"](out[:, : self.width], xp)
            decision = decision + contribution
            masks.append(mask)
            sizes.append(contribution.sum(axis=1))
        return linear(params["output"], decision), masks, sizes

    def _transformed(self, params, step, h, norms, xp):
        for i, layer in enumerate((*params["shared"], *params["own"][step])):
            out = norms(linear(layer, h), layer, xp)
            half = out.shape[1] // 2
            out = out[:, :half] * ACTIVATIONS["sigmoid"](out[:, half:], xp)
            h = out if i == 0 else 0.5**0.5 * (h + out)
        return h

    def loss(self, params, x, y, key, weights):
        logits, masks, _ = self._decision(params, x, BatchNorm(), jnp)
        entropy = -sum((mask * jnp.log(mask + TINY)).sum(axis=1).mean() for mask in masks)
        return cross_entropy(logits, y).mean() + weights["lam"] * entropy / self.n_steps

    def forward(self, params, x, norms, xp):
        logits, masks, sizes = self._decision(params, x, norms, xp)
        weighed = sum(size[:, None] * mask for size, mask in zip(sizes, masks, strict=True))
        total = weighed.sum(axis=1, keepdims=True)
        return logits, weighed / xp.where(total > 0, total, 1.0)
