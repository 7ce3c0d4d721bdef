"""How much a file may unpack to, and how long a download may take."""

import math
from dataclasses import dataclass

from experiments.datasets.dataset import DataError

GIB = 1 << 30


@dataclass(frozen=True)
class Limits:
    """What may be spent on one data set.

    Attributes
    ----------
    max_gib : float, above 0
        GiB of memory that a table, or a part of its file, may take when it is unpacked. A small
        file can declare a huge table, so the declared size is checked before anything is unpacked.
    timeout : float, above 0
        Seconds that a download may take, all its attempts and waits together.

    Raises
    ------
    DataError
        If a limit is not a finite number above 0.
    """

    max_gib: float = 4.0
    timeout: float = 900.0

    def __post_init__(self) -> None:
        for name, value in (("max_gib", self.max_gib), ("timeout", self.timeout)):
            right = isinstance(value, int | float) and not isinstance(value, bool)
            if not right or not math.isfinite(value) or value <= 0:
                raise DataError(f"data.{name} must be a number above 0, got {value!r}")

    def allow(self, n_bytes: int, what: str) -> None:
        """Raise a DataError if `what` would take more memory than `max_gib`."""
        if n_bytes > self.max_gib * GIB:
            raise DataError(
                f"{what} would take {n_bytes / GIB:.3g} GiB of memory, and data.max_gib allows "
                f"{self.max_gib:g}; set data.max_gib higher if you trust the source"
            )

    def allow_array(self, shape: tuple[int, ...], what: str, itemsize: int = 8) -> None:
        """Raise a DataError if an array of this shape would take more than `max_gib`.

        An item counts at least 8 bytes, because every table becomes float64. A dimension of length
        0 counts as 1: arrays without items can still have a dimension that is too long to handle.
        """
        self.allow(max(8, itemsize) * math.prod(max(1, size) for size in shape), what)


LIMITS = Limits()
