"""Adoption of committed results by this revision, after a sample of their units came out again.

If code has changed and a random sample of a folder's units gives the stored rows byte for byte, the
folder's provenance takes the digest of the new code, and says so under ``verified``.
"""

import json
import logging
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from omegaconf import DictConfig

from experiments import kinds
from experiments.atomic import atomic_write
from experiments.config import CONFIGS, plain
from experiments.engine import seeds
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.kinds.base import Run
from experiments.provenance import versions, without_folders
from experiments.runner import code_of

log = logging.getLogger(__name__)

#: Checks of each method in a folder, and of each scorer and judge over all folders.
IN_A_FOLDER, OVER_ALL = 5, 60


def verify(folder: Path, config: DictConfig, n: int = IN_A_FOLDER) -> dict[str, Any]:
    """Compute a random sample of a folder's units again, and compare the rows.

    Parameters
    ----------
    folder : Path
        A folder of committed results.
    config : DictConfig
        Of the same experiment and profile, as it is composed now.
    n : int
        Number of checks of each method.

    Returns
    -------
    dict
        "units": how many were computed again. "parts": scorer or judge -> number of its checks.
        "differences": sentences, old beside new. "code": the digests of the code that ran.
        "seconds".
    """
    start = time.perf_counter()
    kinds.validate(config)
    kind = kinds.load(config.protocol.kind)
    if kind.sample is None:
        raise ValueError(f"the kind {config.protocol.kind} gives no checks of its rows")
    rows = pd.read_parquet(folder / "rows.parquet")
    run = Run(config, resolve(config), Store(config.store), Outcome())
    checks = kind.sample(run, rows, seeds.generator(0, "adoption", folder.name), n)
    run.complete([unit for check in checks for unit in check.units], folder.name)
    parts: dict[str, int] = {}
    differences = []
    for check in checks:
        computed = run.rows(list(check.units))
        for part in check.parts:
            parts[part] = parts.get(part, 0) + 1
        if computed is None:
            differences.append(f"{check.method}: a unit failed")
            continue
        differences += [
            f"{each.axes}: {each.stored!r} is stored, {each.computed!r} comes out"
            + (" (the ranking is not unique)" if each.ambiguous else "")
            for each in check.compare(computed)
        ]
    return {
        "units": len({unit.key for check in checks for unit in check.units}),
        "parts": parts,
        "differences": differences,
        "code": code_of(run.outcome),
        "seconds": round(time.perf_counter() - start, 1),
    }


def adopt(folder: Path, config: DictConfig, verified: dict[str, Any]) -> None:
    """Enter the code and the config of this revision into the provenance of a verified folder."""
    path = folder / "provenance.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["code"] = verified["code"]
    record["config"] = without_folders(plain(config))
    record["verified"] = {
        "digest": verified["code"]["sources"],
        "units": verified["units"],
        "seconds": verified["seconds"],
        "date": datetime.now(UTC).date().isoformat(),
    }
    with atomic_write(path) as part:
        part.write_text(json.dumps(record, indent=2, default=str) + "\n", encoding="utf-8")


def other_versions(folder: Path) -> list[str]:
    """Packages of which another version is installed than the one that computed a folder."""
    record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    here = versions()
    return [
        f"{name} {version}, here {here.get(name, 'none')}"
        for name, version in record["packages"].items()
        if here.get(name) != version and name in ("numpy", "scipy", "scikit-learn")
    ]


def composed(record: dict[str, Any], data: str | None, store: Path, workers: int) -> DictConfig:
    """The config that this revision has for the run of a provenance."""
    from hydra import compose, initialize_config_dir

    kinds.register()
    overrides = [
        f"experiment={record['experiment']}",
        f"profile={record['profile']}",
        f"store={store}",
        f"workers={workers}",
        *([f"data.home={data}"] if data else []),
    ]
    with initialize_config_dir(str(CONFIGS), version_base="1.3"):
        return compose("config", overrides=overrides)


def scorers_of(config: DictConfig) -> list[str]:
    """The scorer of every part of every method of a config."""
    return [part.call for method in resolve(config) for part in method.parts]


def numbers_of_checks(scorers: dict[str, list[str]], full: bool) -> dict[str, int]:
    """Number of checks of each method in each folder, so that each scorer has enough in all.

    Parameters
    ----------
    scorers : dict of str to list of str
        Folder -> the scorers of its methods, one for each part.
    full : bool
        Whether each method of each folder has as many as a scorer has over all folders.
    """
    total = Counter(scorer for each in scorers.values() for scorer in each)
    return {
        folder: OVER_ALL if full else max(IN_A_FOLDER, *(-(-OVER_ALL // total[s]) for s in each))
        for folder, each in scorers.items()
    }
