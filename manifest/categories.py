"""The categories of all warnings; who catches one of them needs no algebra."""


class ScoreWarning(UserWarning):
    """The base of warnings about a score: a text without numbers, and the numbers as attributes."""

    #: The classes that it is about, if not all.
    classes: tuple = ()

    def __init__(self, text: str, **numbers: float):
        super().__init__(text)
        vars(self).update(numbers)


class AmbiguousScoreWarning(ScoreWarning):
    """The score of Algorithm 2 is not unique: rounding and the coding of the classes decide, too.

    `n_orthogonal` of `rank` principal angles between the ranges of the kernels reach 90 degrees,
    and `n_cut` of `n_features` directions are kept that cannot be told from dropped ones.
    """

    n_orthogonal: int
    rank: int
    n_cut: int
    n_features: int


class MeanNotConvergedWarning(ScoreWarning):
    """The Riemannian mean of the kernels was not reached to the accuracy that was aimed at.

    After `n_steps` steps the gradient is the share `residual` of the mean distance to the kernels.
    """

    n_classes: int
    n_steps: int
    residual: float


class UninformativeScoreWarning(ScoreWarning):
    """Rounding moves scores by `rounding`, more than a millionth of `largest`, the largest one.

    It then decides the order of features whose scores are that near, in the worst case of all.
    """

    largest: float
    rounding: float
