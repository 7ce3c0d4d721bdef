"""Neural classifiers that select features while they learn: eight systems, each from its paper.

They are scikit-learn classifiers on jax, which the extra ``neural`` installs. A system's module is
imported when its class is asked for; `import baselines.embedded` itself needs no jax.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baselines.embedded.invase import INVASE
    from baselines.embedded.l2x import L2X
    from baselines.embedded.lassonet import lassonet_score
    from baselines.embedded.lspin import LLSPIN, LSPIN
    from baselines.embedded.realx import RealX
    from baselines.embedded.scorers import stg_score
    from baselines.embedded.stg import STG, LinearSTG
    from baselines.embedded.tabnet import TabNet

#: It finds a system by its name; the system's module is part of a unit's key.
DECIDES_NUMBERS = False

_MODULES = {
    "INVASE": "invase",
    "L2X": "l2x",
    "LLSPIN": "lspin",
    "LSPIN": "lspin",
    "LinearSTG": "stg",
    "RealX": "realx",
    "STG": "stg",
    "TabNet": "tabnet",
    "lassonet_score": "lassonet",
    "stg_score": "scorers",
}

__all__ = [
    "INVASE",
    "L2X",
    "LLSPIN",
    "LSPIN",
    "STG",
    "LinearSTG",
    "NeedsJax",
    "RealX",
    "TabNet",
    "lassonet_score",
    "stg_score",
]


class NeedsJax(ImportError, ValueError):
    """jax is not installed: a fault of the environment, or of what asks for such a system."""


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in ("jax", "jaxlib"):
            raise
        raise NeedsJax(
            f"{name} needs jax, which is not installed: pip install '.[neural]'", name="jax"
        ) from error
    return getattr(module, name)
