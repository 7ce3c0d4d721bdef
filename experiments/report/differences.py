"""Compare the settings of a run with those of the paper."""

import json

from omegaconf import DictConfig, OmegaConf

from experiments.config import plain, published

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
    if not (settings := published(config.name)):
        return [NOT_PUBLISHED]
    lines, scorers = [], config.method.scorers
    for key, theirs in settings.items():
        if key.startswith("parameters.") and key.split(".")[1] not in scorers:
            continue  # of a method that this run does not have
        if key == "methods":
            own = {m: e for m, e in scorers.items() if m not in config.controls}
            compared = {m: e for m, e in own.items() if not e.get("takes_all")}
            methods = [m for m, entry in compared.items() if entry.get("form_of") not in theirs]
            ours, theirs = _only(methods, theirs), _only(theirs, methods)
        elif isinstance(theirs, dict) and {*theirs} == {"here", "paper"}:
            ours, theirs = theirs["here"], theirs["paper"]
        else:
            ours = OmegaConf.select(config, key, default="none")
            ours = plain(ours) if OmegaConf.is_config(ours) else ours
        if key == "protocol.fewer_splits":
            named = {*scorers, *config.protocol.tuning}
            ours = {name: n for name, n in ours.items() if name in named}
        if ours != theirs:
            here, paper = (x if isinstance(x, str) else json.dumps(x) for x in (ours, theirs))
            lines.append(f"{key}: here {here}, paper {paper}")
    return lines or [AS_PUBLISHED]


def _only(names, others):
    return ", ".join(name for name in names if name not in others) or "no other"
