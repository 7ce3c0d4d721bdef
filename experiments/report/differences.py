"""Compare the settings of a run with those of the paper."""

import json

from omegaconf import DictConfig, OmegaConf

from experiments.config import ConfigError, plain

#: What `differences` says where there are none.
AS_PUBLISHED = "None: the settings are the paper's."
_ABSENT = object()


def settings(config: DictConfig) -> list[tuple[str, str, str]]:
    """Return name, setting here and setting in the paper; the texts are equal if they agree.

    The paper's settings are in the config: ``published`` has the value for each dotted key, or
    words if the paper does not state one. An entry ``{here: ..., paper: ...}`` is a setting without
    a key in the config. The entry ``methods`` lists those of the paper; a variant of one of them is
    not another method.

    Raises
    ------
    ConfigError
        If the config has no such key.
    """
    told = []
    for key, theirs in plain(config.published).items():
        of, _, rest = key.partition(".")
        if of == "parameters" and rest.partition(".")[0] not in config.method.scorers:
            continue  # of a method that this run does not have
        if key == "methods":
            told.append((key, *_methods(config, theirs)))
            continue
        if isinstance(theirs, dict) and {*theirs} == {"here", "paper"}:
            told.append((key, theirs["here"], theirs["paper"]))
            continue
        ours = OmegaConf.select(config, key, default=_ABSENT)
        parent = OmegaConf.select(config, key.rpartition(".")[0])
        if ours is _ABSENT and (key.startswith("dataset.params.") or parent is None):
            # The user has chosen another data set, or set all parameters of a method to null.
            told.append((key, "none", _written(theirs)))
            continue
        if ours is _ABSENT:
            raise ConfigError(f"published names {key!r}, and the config has no such key")
        ours = plain(ours) if OmegaConf.is_config(ours) else ours
        told.append((key, _written(ours), _written(theirs if ours != theirs else ours)))
    return told


def _methods(config, theirs):
    """Return the methods only in the run, and only in the paper, as two texts."""
    scorers = config.method.scorers
    ours = [name for name, scorer in scorers.items() if scorer.get("form_of") not in theirs]
    only = [[name for name in a if name not in b] for a, b in ((ours, theirs), (theirs, ours))]
    here, paper = (", ".join(names) or "no other" for names in only)
    return here, paper


def differences(config: DictConfig) -> list[str]:
    """Return the settings that differ from the paper, one line each; see :func:`settings`."""
    lines = [
        f"{key}: here {ours}, paper {theirs}"
        for key, ours, theirs in settings(config)
        if ours != theirs
    ]
    return lines or [AS_PUBLISHED]


def _written(value):
    return value if isinstance(value, str) else json.dumps(value)
