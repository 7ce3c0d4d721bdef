"""The origin of a result: config, code, versions, machine, data, differences from the paper."""

import json
import platform
import re
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import joblib
from omegaconf import DictConfig, OmegaConf
from threadpoolctl import threadpool_info

from experiments.config import ConfigError, plain
from experiments.engine.code import source_digest
from experiments.engine.processor import simd
from experiments.system import processor

PACKAGES = ("numpy", "scipy", "scikit-learn", "skfeature-chappers", "pandas", "hydra-core")
#: Packages of extras, which are listed where they are installed.
OPTIONAL = ("xgboost-cpu", "xgboost")

#: Parts of a config that say how a run was made, and nothing about its results.
OF_THE_RUN = ("draw", "workers", "scheduler", "store", "refresh", "data")
#: Parts of a config that no number depends on.
IMMATERIAL = (*OF_THE_RUN, "title", "topic", "figure", "page", "published", "claims")

#: Keys of a method that no number depends on.
LOOKS = ("label", "color", "form_of")

#: What `differences` says where there are none.
AS_PUBLISHED = "None: the settings are the paper's."
#: The folders of an absolute path inside a text.
PATH = re.compile(r"(?<![^\s\[({,='\"])/(?:[^\s,]*/)?")
_ABSENT = object()


def provenance(config: DictConfig, data: dict, overrides: Iterable[str] = (), **findings) -> dict:
    """Everything needed to tell two results apart, as JSON values.

    Parameters
    ----------
    config : DictConfig
        The composed config of the run.
    data : dict
        Name, fingerprint and source of the samples.
    overrides : iterable of str
        The arguments that the config was composed by; those that results do not depend on are
        left out.
    **findings
        The digest of the code, the time and memory of the run, and counts of its units.
    """
    pairs = (override.partition("=") for override in overrides)
    return {
        "experiment": config.name,
        "profile": config.profile.name,
        "overrides": [
            f"{key}{equals}{without_folders(value)}"
            for key, equals, value in pairs
            if key.partition(".")[0] not in (*OF_THE_RUN, "hydra")
        ],
        "seed": config.seed,
        "data": without_folders(data),
        **findings,
        "git": revision(),
        "python": platform.python_version(),
        "packages": versions(),
        "blas": [
            {key: library.get(key) for key in ("internal_api", "version", "architecture")}
            for library in threadpool_info()
            if library.get("user_api") == "blas"
        ],
        "simd": simd(),
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "processor": processor("model name")[0],
            "cores": joblib.cpu_count(),
        },
        "config": without_folders(plain(config)),
    }


def outdated(record: dict, config: DictConfig) -> list[str]:
    """The reason why this revision would compute another result; empty if it would not.

    Parameters
    ----------
    record : dict
        What :func:`provenance` has returned when the result was computed.
    config : DictConfig
        The config of the same experiment and profile, as it is composed now.

    Returns
    -------
    list of str
        A sentence for the code of the units, and one for each part of the config, that has changed.
        The versions of packages are not compared.
    """
    reasons = []
    code = record["code"]
    try:
        now = source_digest(tuple(code["modules"]))
    except ImportError as error:
        now = str(error)
    if now != code["sources"]:
        reasons.append(f"the code of its units has changed: {code['sources']}, now {now}")
    was, is_now = (material(each) for each in (record["config"], plain(config)))
    reasons += [
        f"{key} of its config has changed"
        for key in sorted({*was, *is_now})
        if was.get(key) != is_now.get(key)
    ]
    return reasons


def material(config: dict) -> dict:
    """The parts of a config that numbers depend on, without folders and looks.

    An option that is null or empty is left out: it does nothing, and older results do not know it.
    So are parameters of scorers that the run does not have.
    """
    kept = {key: value for key, value in config.items() if key not in IMMATERIAL}
    method = dict(kept["method"])
    method["scorers"] = {
        name: {key: value for key, value in scorer.items() if key not in LOOKS}
        for name, scorer in method["scorers"].items()
    }
    used = {
        part
        for name, scorer in method["scorers"].items()
        for part in (name, *scorer.get("combine", ()))
    }
    kept["parameters"] = {
        name: values for name, values in kept["parameters"].items() if name in used
    }
    # As it is read back from a file.
    return _without_empty(json.loads(json.dumps(without_folders({**kept, "method": method}))))


def _without_empty(value):
    if not isinstance(value, dict):
        return value
    inside = {key: _without_empty(inner) for key, inner in value.items()}
    return {key: inner for key, inner in inside.items() if inner not in (None, {}, [])}


def settings(config: DictConfig) -> list[tuple[str, str, str]]:
    """The paper's settings beside those of a run: name, here, paper; equal texts if they agree.

    The config says itself what the paper's settings are: ``published`` holds the value of each
    dotted key, or words where the paper does not give one. An entry ``{here: ..., paper: ...}`` is
    a setting that no key of the config decides. The entry ``methods`` lists those of the paper; a
    form of one of them is not another method.

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
    """The methods that only the run has, and that only the paper has, as two texts."""
    scorers = config.method.scorers
    ours = [name for name, scorer in scorers.items() if scorer.get("form_of") not in theirs]
    only = [[name for name in a if name not in b] for a, b in ((ours, theirs), (theirs, ours))]
    here, paper = (", ".join(names) or "no other" for names in only)
    return here, paper


def differences(config: DictConfig) -> list[str]:
    """Settings of a run that are not the paper's, one line each; see :func:`settings`."""
    lines = [
        f"{key}: here {ours}, paper {theirs}"
        for key, ours, theirs in settings(config)
        if ours != theirs
    ]
    return lines or [AS_PUBLISHED]


def _written(value):
    return value if isinstance(value, str) else json.dumps(value)


def without_folders(value):
    """Texts with absolute paths cut to file names: a result is read on other machines."""
    if isinstance(value, dict):
        return {key: without_folders(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_folders(inner) for inner in value]
    if not isinstance(value, str):
        return value
    bare = value.lstrip("'\"")
    if bare.startswith("/"):  # The path may have spaces, and quotes on a command line.
        return value.removesuffix(bare) + bare.rpartition("/")[2]
    return PATH.sub("", value)


def revision() -> str | None:
    """The git commit of this checkout, marked where files differ from it; None outside git."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():  # An installed package may lie in another project's checkout.
        return None

    def git(*arguments):
        answer = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
        return answer.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def versions() -> dict[str, str]:
    """The versions of the packages that results rest on."""
    installed = {distribution.name for distribution in metadata.distributions()}
    return {name: metadata.version(name) for name in (*PACKAGES, *OPTIONAL) if name in installed}
