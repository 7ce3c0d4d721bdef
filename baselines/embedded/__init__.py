"""Eight neural classifiers that select features while they are trained, each from its paper.

They are scikit-learn classifiers that use jax, which the extra ``neural`` installs. The module of a
system is imported when its class is first used; `import baselines.embedded` needs no jax.
"""

import importlib
from typing import Any

from ..contract import NeedsPackage

_MODULES = {
    "INVASE": "invase",
    "L2X": "l2x",
    "LLSPIN": "lspin",
    "LSPIN": "lspin",
    "LinearSTG": "stg",
    "RealX": "realx",
    "STG": "stg",
    "TabNet": "tabnet",
}

__all__ = [*_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in ("jax", "jaxlib"):
            raise
        raise NeedsPackage(name, "jax", "neural") from error
    return getattr(module, name)
