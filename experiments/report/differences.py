"""Compare the settings of a run with those of the paper."""

import json
from typing import Any

from omegaconf import DictConfig, OmegaConf

from experiments.config import ConfigError, plain

#: What `differences` says where there are none.
AS_PUBLISHED = "None: the settings are the paper's."
_ABSENT = object()


def differences(config: DictConfig) -> list[str]:
    """Return the settings of a run that are not the paper's, one line each.

    The paper's settings are in the config: ``published`` has the value for each dotted key, or
    words if the paper does not state one. An entry ``{here: ..., paper: ...}`` is a setting without
    a key in the config. The entry ``methods`` lists those of the paper; a variant of one of them is
    not another method.

    Raises
    ------
    ConfigError
        If the config has no such key.
    """
    lines = []
    for key, theirs in plain(config.published).items():
        parts = key.split(".")
        if parts[0] == "parameters" and parts[1] not in config.method.scorers:
            continue  # of a method that this run does not have
        if key == "methods":
            ours, theirs = _methods(config, theirs)
        elif isinstance(theirs, dict) and {*theirs} == {"here", "paper"}:
            ours, theirs = theirs["here"], theirs["paper"]
        else:
            ours = _ours(config, key)
        if ours != theirs:
            here, paper = (x if isinstance(x, str) else json.dumps(x) for x in (ours, theirs))
            lines.append(f"{key}: here {here}, paper {paper}")
    return lines or [AS_PUBLISHED]


def _ours(config: DictConfig, key: str) -> Any:
    """The value of a dotted key; "none" of a part that the user has chosen to be without."""
    ours = OmegaConf.select(config, key, default=_ABSENT)
    if ours is not _ABSENT:
        return plain(ours) if OmegaConf.is_config(ours) else ours
    parent = OmegaConf.select(config, key.rpartition(".")[0])
    if key.startswith("dataset.params.") or parent is None:
        return "none"  # Another data set, or all parameters of a method set to null.
    raise ConfigError(f"published names {key!r}, and the config has no such key")


def _methods(config, theirs):
    """Return the methods only in the run, and only in the paper, as two texts."""
    scorers = config.method.scorers
    ours = [name for name, scorer in scorers.items() if scorer.get("form_of") not in theirs]
    only = [[name for name in a if name not in b] for a, b in ((ours, theirs), (theirs, ours))]
    here, paper = (", ".join(names) or "no other" for names in only)
    return here, paper
