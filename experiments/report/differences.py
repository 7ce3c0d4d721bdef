"""Compare the settings of a run with those of the paper."""

import json
import re
from typing import Any

from omegaconf import DictConfig, OmegaConf

from experiments.config import plain, published, without_selection

#: What `differences` says where there are none.
AS_PUBLISHED = "None: the settings are the paper's."
#: What it says of an experiment that the paper does not have.
NOT_PUBLISHED = "The paper has no such experiment."


def differences(config: DictConfig) -> list[str]:
    """Return the settings of a run that are not the paper's, one line each.

    The paper's settings are those of :func:`experiments.config.published`. A variant of one of its
    methods is not another method; a control is none, nor are all features. Fewer splits of a method
    that the run does not have say nothing of it. A key that the config does not have, such as a
    parameter of another data set, is "none" here.
    """
    settings = published(config.name)
    if not settings:
        return [NOT_PUBLISHED]
    scorers = config.method.scorers
    lines = []
    ours: Any
    for key, theirs in settings.items():
        if key.startswith("parameters.") and key.split(".")[1] not in scorers:
            continue  # of a method that this run does not have
        if key == "methods":
            ours, theirs = _other_methods(config, theirs)
        elif isinstance(theirs, dict) and {*theirs} == {"here", "paper"}:
            ours = theirs["here"]
            theirs = theirs["paper"]
        else:
            ours = OmegaConf.select(config, key, default="none")
            ours = plain(ours) if OmegaConf.is_config(ours) else ours
        if key == "protocol.fewer_splits":
            named = {*scorers, *config.protocol.tuning}
            ours = {name: n for name, n in ours.items() if name in named}
        if ours != theirs:
            lines.append(f"{key}: here {_text(ours)}, paper {_text(theirs)}")
    return lines or [AS_PUBLISHED]


def _other_methods(config: DictConfig, theirs: list[str]) -> tuple[str, str]:
    """Return the methods that only the run has, and those that only the paper has."""
    ours = []
    left_out = [*config.controls, *without_selection(config)]
    for name, entry in config.method.scorers.items():
        if name not in left_out and entry.get("form_of") not in theirs:
            ours.append(name)
    return _only(ours, theirs), _only(theirs, ours)


def _text(setting: Any) -> str:
    if isinstance(setting, str):
        return setting
    return re.sub(r"\.0\b", "", json.dumps(setting))  # A run stores whole numbers as floats.


def _only(names: list[str], others: list[str]) -> str:
    return ", ".join(name for name in names if name not in others) or "no other"
