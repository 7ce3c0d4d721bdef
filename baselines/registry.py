"""The scorers by name, as a config names them: no table, the modules of `baselines`."""

import importlib
import pkgutil
from typing import Any

from . import combined, filters
from ._common import Scorer


def names() -> tuple[str, ...]:
    """The names of the filters, in alphabetical order."""
    modules = (module.name for module in pkgutil.iter_modules(filters.__path__))
    return tuple(sorted(name for name in modules if not name.startswith("_")))


def get(name: str) -> Scorer:
    """The scorer of that name.

    Parameters
    ----------
    name : str
        The name of a filter, such as ``"relieff"``, which is the first name in ``__all__`` of the
        module ``baselines.filters.relieff``; that of a combination in `baselines.combined`, such as
        ``"manifest_dpp"``; or the place of any other scorer, as ``"package.module:function"``.

    Returns
    -------
    scorer : callable
        ``(X, y, **params) -> scores (n_features,)``, higher is better.

    Raises
    ------
    ValueError
        If the name is unknown (the message lists those that are known), if the place holds
        no callable, or if the module of a filter does not name its scorer.
    """
    name = name.strip()
    if ":" in name:
        return _load(name)
    known = names()
    if name in known:
        return _load(f"{filters.__name__}.{name}:{_functions(name)[0]}")
    combinations = _combinations()
    if name in combinations:
        return _load(f"{combinations[name]}:{name}")
    raise ValueError(
        f"there is no filter {name!r}; valid are {', '.join([*known, *sorted(combinations)])}, and "
        '"package.module:function" for any other scorer'
    )


def _combinations() -> dict[str, str]:
    """From the name of each function in `baselines.combined` to its module; imports all of them."""
    names = (module.name for module in pkgutil.iter_modules(combined.__path__))
    modules = [f"{combined.__name__}.{name}" for name in names if not name.startswith("_")]
    offered = {
        module: getattr(importlib.import_module(module), "__all__", ()) for module in modules
    }
    return {name: module for module, functions in offered.items() for name in functions}


def public() -> list[str]:
    """The names of all functions that the filters' modules offer; imports every one of them."""
    return [function for name in names() for function in _functions(name)]


def find(function: str) -> Any:
    """The function of that name among those that the filters' modules offer.

    Modules are imported one after the other until one has it, the module of the same name first.

    Raises
    ------
    AttributeError
        If there is none.
    """
    if not function.startswith("_"):
        for name in sorted(names(), key=lambda name: name != function):
            if function in _functions(name):
                return _load(f"{filters.__name__}.{name}:{function}")
    raise AttributeError(f"module {__package__!r} has no attribute {function!r}")


def _functions(name: str) -> list[str]:
    """The functions that the module of a filter offers: its scorer first."""
    module = importlib.import_module(f"{filters.__name__}.{name}")
    functions = getattr(module, "__all__", None)
    if not functions:
        raise ValueError(
            f"Module {module.__name__!r} does not say which function is its scorer: "
            '__all__ = ["NAME OF THE SCORER"] does.'
        )
    return functions


def _load(place: str) -> Scorer:
    module_name, _, attribute = place.partition(":")
    try:
        module = importlib.import_module(module_name)
    except (ModuleNotFoundError, ValueError, TypeError) as error:
        missing = getattr(error, "name", None)
        if missing and not f"{module_name}.".startswith(f"{missing}."):
            raise  # The module is there; what is missing is something that it imports.
        raise ValueError(f"No module {module_name!r} to take the scorer {place!r} from.") from error
    scorer = getattr(module, attribute, None)
    if not callable(scorer):
        raise ValueError(f"Module {module_name!r} has no function {attribute!r} to score with.")
    return scorer
