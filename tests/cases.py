"""Cases of a test in one item: a failure names its case, a report has a line for the statement."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st


def over(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Callable], Callable]:
    """A decorator: the test runs for all values of its arguments, one after another.

    Parameters are those of ``pytest.mark.parametrize``. Fixtures are made once for all values, and
    a skip skips the values that are left.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    values = list(values)

    def decorated(test):
        @functools.wraps(test)
        def run(*args, **others):
            for value in values:
                row = value if len(arguments) > 1 else (value,)
                case = dict(zip(arguments, row, strict=True))
                try:
                    test(*args, **others, **case)
                except BaseException as error:
                    error.add_note(f"case: {case}")
                    raise

        signature = inspect.signature(test)
        kept = [p for name, p in signature.parameters.items() if name not in arguments]
        run.__dict__["__signature__"] = signature.replace(parameters=kept)
        return run

    return decorated


@st.composite
def tables(draw, n, d, elements):
    """Tables of a few values that are drawn, at random places: to draw each place takes long.

    Numbers of rows and columns are strategies, or numbers.
    """
    shape = tuple(size if isinstance(size, int) else draw(size) for size in (n, d))
    values = draw(st.lists(elements, min_size=1, max_size=8))
    return np.random.default_rng(draw(st.integers(0, 999))).choice(values, size=shape)
