"""L2X: draw k features of each sample by relaxed categorical variables (Chen et al. 2018)."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from .layers import BatchNorm, cross_entropy, network, squared_weights, top
from .system import SelectThenPredict


def relaxed_subset(key, scores, k, temperature):
    """Draw a relaxed subset of at most k features of each row: the maximum of k concrete samples.

    Each of the k samples is softmax((scores + Gumbel noise) / temperature), (n, d).
    """
    n, d = scores.shape
    noise = jax.random.gumbel(key, (n, k, d), dtype=float)
    return jax.nn.softmax((scores[:, None, :] + noise) / temperature).max(axis=1)


@dataclass(kw_only=True, eq=False, repr=False)
class L2X(SelectThenPredict):
    """Learning to explain: the k features of a sample that say most about its label.

    An explainer g scores the features of a sample. V(x) is the maximum of k relaxed categorical
    variables softmax((g(x) + Gumbel noise) / temperature). Training minimises

        E [ cross-entropy(q(x * V(x)), y) ] + weight_decay (squares of all weights)

    over g and a network q. This is a variational bound of the mutual information of x_S and y,
    where S has k features. In prediction S(x) are the k features with the largest scores.

    Source: Chen, Song, Wainwright and Jordan, "Learning to Explain: An Information-Theoretic
    Perspective on Model Interpretation", ICML 2018. The widths, the temperature, the rate, the
    batch and the weight decay are those of the authors' program for synthetic data. There y are the
    class probabilities of another model or of the generator. Here they are the labels, so q is
    a classifier. The last layer of g is decayed as well. Batch normalisation comes before the
    activation, and in prediction uses the statistics of the training rows. The default of k was
    chosen for this repository.

    Other parameters are those of `EmbeddedClassifier`.

    Parameters
    ----------
    n_selected : int
        Number of features k, at least 1; all features if there are fewer.
    temperature : float
        The temperature of the relaxation, above 0.
    weight_decay : float
        The factor of the squared weights in the loss, at least 0.
    selector_layers : sequence of int
        The widths of the hidden layers (ReLU) of the explainer.
    hidden_layers : sequence of int
        The widths of those of q.
    """

    n_selected: int = 10
    temperature: float = 0.1
    weight_decay: float = 1e-3
    learning_rate: float = 1e-3
    max_epochs: int = 300
    batch_size: int | None = 1000

    _numbers: ClassVar = ("temperature", "weight_decay")

    def loss(self, params, x, y, key, weights):
        scores = network(params["selector"], x, self.activation, jnp)
        k = min(self.n_selected, x.shape[1])
        z = relaxed_subset(key, scores, k, weights["temperature"])
        logits = network(params["predictor"], x * z, self.activation, jnp, BatchNorm())
        penalty = squared_weights(params["selector"], params["predictor"])
        return cross_entropy(logits, y).mean() + weights["weight_decay"] * penalty

    def selected(self, scores, xp):
        return top(scores, min(self.n_selected, scores.shape[1]), xp)
