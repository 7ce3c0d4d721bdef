"""Record the origin of a result: config, revision, versions, machine and data."""

import platform
import re
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from omegaconf import DictConfig
from threadpoolctl import threadpool_info

from experiments.code import FOUND
from experiments.config import plain
from experiments.evaluation.svm.build import processor

#: Packages on which results depend; those that are installed are listed.
PACKAGES = ["numpy", "scipy", "scikit-learn", "skfeature-chappers", "pandas", "hydra-core"]
PACKAGES += ["xgboost-cpu", "xgboost", "jax", "jaxlib"]

#: Parts of a config that say how to run, and do not change results.
OF_THE_RUN = ("draw", "workers", "scheduler", "store", "data")

#: The folders of an absolute path inside a text.
PATH = re.compile(r"(?<![^\s\[({,='\"])/(?:[^\s,]*/)?")


def provenance(
    config: DictConfig, data: dict, overrides: Iterable[str] = (), **findings: Any
) -> dict:
    """Return everything that identifies a result, as JSON values.

    Parameters
    ----------
    config : DictConfig
        The composed config of the run.
    data : dict
        Name, fingerprint and source of the samples.
    overrides : iterable of str
        The arguments from which the config was composed; those that do not change results are
        left out.
    **findings
        Time and memory of the run, counts of its tasks, names of its files.
    """
    pairs = (override.partition("=") for override in overrides)
    calls = str(plain(config))
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
        "elsewhere": {call: found for call, found in FOUND.items() if repr(call) in calls},
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


def simd() -> list[str]:
    """Return the instruction sets beyond the baseline for which NumPy runs code here."""
    return list(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))


def code_of_processor(record: dict | None = None) -> tuple[list[str], list[str]]:
    """Return the code that BLAS and NumPy use for the processor, here or in a provenance."""
    blas = threadpool_info() if record is None else record["blas"]
    names = {library.get("architecture") for library in blas} - {None}
    return sorted(names), simd() if record is None else record["simd"]


def without_folders(value: Any) -> Any:
    """Shorten absolute paths in texts to file names, because results are read elsewhere."""
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
    """Return the git commit of this checkout, marked if files differ; None outside git."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():  # An installed package may be inside another checkout.
        return None

    command = ["git", "-C", str(root), "describe", "--match=", "--always", "--abbrev=40"]
    try:
        answer = subprocess.run(
            [*command, "--dirty= with changes"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()


def versions() -> dict[str, str]:
    """Return the versions of the packages on which results depend."""
    installed = {distribution.name for distribution in metadata.distributions()}
    return {name: metadata.version(name) for name in PACKAGES if name in installed}
