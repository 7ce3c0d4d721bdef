"""The filters by name, as a config names them."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from baselines._common import Scorer
from baselines.anova import anova
from baselines.combine import combine
from baselines.fisher import fisher_score
from baselines.gini import gini_index
from baselines.information_gain import information_gain
from baselines.laplacian import laplacian_score
from baselines.pearson import pearson
from baselines.relieff import relieff
from baselines.ttest import t_test


@dataclass(frozen=True)
class Entry:
    """One filter: how to compute it, how to call it in a figure, and where the paper has it from.

    Attributes
    ----------
    scorer : callable
        ``(X, y, **params) -> scores (n_features,)``, higher is better.
    label : str
        Name for figures and tables.
    source : str
        The implementation and the reference that the paper names.
    parameters : tuple of str
        The parameters that the paper tunes over a grid.
    """

    scorer: Scorer
    label: str
    source: str
    parameters: tuple[str, ...] = ()


registry: Mapping[str, Entry] = MappingProxyType(
    {
        "gini": Entry(gini_index, "Gini index", "skfeature gini_index (Shang et al. 2007)"),
        "anova": Entry(anova, "ANOVA", "scikit-learn f_classif (Kao and Green 2008)"),
        "pearson": Entry(pearson, "Pearson", "pandas corrwith (Battiti 1994)"),
        "ttest": Entry(t_test, "t-test", "skfeature t_score (Davis and Sampson 1986)"),
        "fisher": Entry(fisher_score, "Fisher", "skfeature fisher_score (Duda et al. 2006)"),
        "ig": Entry(information_gain, "IG", "scikit-learn mutual_info_classif (Ross 2014)", ("k",)),
        "laplacian": Entry(
            laplacian_score, "Laplacian", "skfeature lap_score (He et al. 2005)", ("percentile",)
        ),
        "relieff": Entry(
            relieff, "ReliefF", "skfeature reliefF (Robnik-Sikonja and Kononenko 2003)", ("k",)
        ),
    }
)


def names() -> tuple[str, ...]:
    """The names of the filters, in the paper's order."""
    return tuple(registry)


def get(name: str) -> Scorer:
    """The scorer of that name.

    Parameters
    ----------
    name : str
        A name of the registry, such as ``"relieff"``; the place of any other scorer, as
        ``"package.module:function"``; or several of these joined by ``+``, for the sum of their
        normalised scores: ``"manifest:manifest_score + relieff"``.

    Returns
    -------
    scorer : callable
        ``(X, y, **params) -> scores (n_features,)``, higher is better.

    Raises
    ------
    ValueError
        Where the name is unknown (the message lists those that are known) or the place holds no
        callable.
    """
    parts = [part.strip() for part in name.split("+")]
    if len(parts) > 1:
        return combine(*map(get, parts))
    (name,) = parts
    if ":" in name:
        return _load(name)
    if name in registry:
        return registry[name].scorer
    near = get_close_matches(name, registry, n=1)
    raise ValueError(
        f"Unknown filter {name!r}{f', did you mean {near[0]!r}' if near else ''}? "
        f'Valid are {", ".join(registry)}, and "package.module:function" for any other.'
    )


def _load(place: str) -> Scorer:
    module_name, _, attribute = place.partition(":")
    try:
        module = importlib.import_module(module_name)
    except (ModuleNotFoundError, ValueError, TypeError) as error:
        missing = getattr(error, "name", None)
        if missing and not f"{module_name}.".startswith(f"{missing}."):
            raise  # the module is there, but not something that it imports
        raise ValueError(f"No module {module_name!r} to take the scorer {place!r} from.") from error
    scorer = getattr(module, attribute, None)
    if not callable(scorer):
        raise ValueError(f"Module {module_name!r} has no function {attribute!r} to score with.")
    return scorer
