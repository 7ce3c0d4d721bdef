"""The facts that the claims must know of an experiment: the key ``claims`` of its YAML file.

They are read from the experiment's own file. An experiment that is composed from another one does
not take them over.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from omegaconf import OmegaConf

from experiments.config import CONFIGS, MANY, ConfigError, choice_of


@dataclass(frozen=True)
class Facts:
    """The facts of one experiment.

    Attributes
    ----------
    samples : tuple of str
        Names of the samples that its claims are about. Results of other samples never stand beside
        these claims.
    counted_under : str
        The data set that its claims are counted under.
    more_splits : str
        An experiment whose results have the same splits, and more of them; empty if there is none.
    orders : tuple of str
        Experiments that have tried orders of the features, or of the samples, on more splits of the
        same samples.
    orders_of : str
        "samples" if its methods are the first of them on the samples in other orders, else
        "features".
    needs : str
        The data that it needs and a fresh checkout does not have; empty if there are none.
    """

    samples: tuple[str, ...] = ()
    counted_under: str = ""
    more_splits: str = ""
    orders: tuple[str, ...] = ()
    orders_of: str = "features"
    needs: str = ""


@cache
def facts(experiment: str) -> Facts:
    """The facts of an experiment; those of one without a file or without facts are empty.

    Raises
    ------
    ConfigError
        If the file has a fact that there is not.
    """
    path = CONFIGS / "experiment" / f"{choice_of(experiment)}.yaml"
    config: Any = OmegaConf.to_container(OmegaConf.load(path)) if path.is_file() else {}
    known: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in (config.get("claims") or {}).items()
    }
    try:
        return Facts(**{"counted_under": experiment, **known})
    except TypeError as error:
        raise ConfigError(f"{path.name}, claims: {error}") from error


def with_facts() -> list[str]:
    """The experiments whose files name the samples of their claims."""
    names = {path.stem for path in (CONFIGS / "experiment").glob("*.yaml")}
    names |= {f"{path.stem}_{MANY}" for path in (CONFIGS / "experiment" / MANY).glob("*.yaml")}
    return sorted(name for name in names if facts(name).samples)
