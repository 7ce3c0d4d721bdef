"""The categories of all warnings; who catches one of them needs no algebra."""


class AmbiguousScoreWarning(UserWarning):
    """The score of Algorithm 2 is not unique on these data: rounding decides a part of it."""


class MeanNotConvergedWarning(UserWarning):
    """The Riemannian mean of the kernels was not reached to the accuracy that was aimed at."""


class UninformativeScoreWarning(UserWarning):
    """The scores are rounding, or so small that rounding decides a part of them."""
