"""The code that OpenBLAS and NumPy run on this processor, and variables for that of another.

Both bring code for several generations of processors, and choose as they are loaded. OpenBLAS then
sums in another order, and NumPy's exponential rounds one value in twenty otherwise. Well-defined
scores differ by about 1e-12; ambiguous rankings can differ entirely. A result that names its code
can be repeated on newer processors.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

#: The variables that choose the code of OpenBLAS, and leave out some of NumPy's.
BLAS, SIMD = "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"


def blas() -> list[str]:
    """Names of the processors whose code the OpenBLAS libraries of this process run, each once."""
    names = (library.get("architecture") for library in threadpool_info())
    return sorted({name for name in names if name})


def simd() -> list[str]:
    """The sets of instructions, beside the least one, for which NumPy runs code here."""
    return list(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))


def computed_here(record: dict) -> bool:
    """True if a result was computed by the code that OpenBLAS and NumPy run in this process.

    Parameters
    ----------
    record : dict
        The provenance of the result.
    """
    return _names(record) == blas() and record["simd"] == simd()


def _names(record: dict) -> list[str]:
    return sorted({library.get("architecture") or "" for library in record["blas"]})


def show() -> None:
    """Print :func:`blas` and :func:`simd` as JSON, after a product in each OpenBLAS."""
    from scipy.linalg import blas as scipy_blas

    ones = np.ones((64, 64))
    if not (ones @ ones == scipy_blas.dgemm(1.0, ones, ones)).all():
        sys.exit("a product of ones is wrong")
    print(json.dumps([blas(), simd()]))


def variables(record: dict) -> dict[str, str] | None:
    """The variables with which a process here runs the code that a result was computed by.

    A process is started with them to see if it does. None if this processor, or its BLAS, has no
    such code.

    Parameters
    ----------
    record : dict
        The provenance of the result.
    """
    theirs = _names(record)
    wanted, available = record["simd"], simd()
    if len(theirs) != 1 or not set(wanted) <= set(available):
        return None
    chosen = {BLAS: theirs[0]}
    if left_out := [name for name in available if name not in wanted]:
        chosen[SIMD] = " ".join(left_out)
    # A process whose processor cannot run the code is killed; an OpenBLAS that has none of that
    # name takes other code.
    tried = subprocess.run(
        [sys.executable, "-c", "from experiments.engine.processor import show; show()"],
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, **chosen},
        capture_output=True,
        text=True,
        check=False,
    )
    runs = tried.returncode == 0 and json.loads(tried.stdout) == [theirs, list(wanted)]
    return chosen if runs else None
