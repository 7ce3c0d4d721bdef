"""Compute a random sample of the committed rows again, and compare it with results/.

    python scripts/reproduce.py                 all folders, in half an hour
    python scripts/reproduce.py toy xor100      some of them
    python scripts/reproduce.py --full          a larger sample
    python scripts/reproduce.py --data FOLDER   where the data lie; without it they are fetched
    python scripts/reproduce.py --adopt         results whose code has changed

At least five random rows of each method and folder are computed, and sixty of each scorer over all
folders (--full: sixty of each method and folder); what is computed waits in outputs/reproduce, so
that an interrupted call goes on. Of a split under "nested", the first check of a method ranks in
the inner folds, too; others compare the test accuracy alone.

Where Algorithm 2 does not determine a score ("ambiguous"), rounding decides it, and OpenBLAS and
NumPy bring other code for other processors. So a check takes the code that computed the folder, if
this machine can run it, unless OPENBLAS_CORETYPE or NPY_DISABLE_CPU_FEATURES is set already; see
experiments/engine/processor.py. Then all values must be equal. Elsewhere, and with other versions
of packages, ambiguous rankings are left out, and numbers may differ by 1e-5 of the largest.

With --adopt, a folder whose code has changed and whose rows come out byte for byte takes the
digests of this revision in its provenance, which says so under "verified". Otherwise the rows that
differ are printed, and results/due.yaml lists the folder.

The exit status is 1 if a folder does not come out again.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd
import yaml
from omegaconf import DictConfig

from experiments import kinds
from experiments.atomic import write_text
from experiments.config import plain
from experiments.engine import processor, seeds
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.kinds.adoption import Sample
from experiments.kinds.base import Run
from experiments.provenance import OF_THE_RUN, outdated, versions, without_folders
from experiments.report.stored import provenance_of
from experiments.runner import code_of

ROOT = Path(__file__).resolve().parents[1]
OUTPUTS, RESULTS = ROOT / "outputs" / "reproduce", ROOT / "results"
#: Checks of each method in a folder, and of each scorer over all folders.
IN_A_FOLDER, OVER_ALL = 5, 60
#: Differences of a folder that are printed.
SHOWN = 10
#: Share of the largest number by which others differ by the code of another processor or package.
TOLERANCE = 1e-5
#: What due.yaml says of a folder whose sample does not come out again.
REASON = "Its code has changed, and `make adopt` has not reproduced a sample of its rows."


def verify(
    folder: Path, config: DictConfig, numbers: Mapping[str, int], *, exact: bool = True
) -> dict[str, Any]:
    """Compute a random sample of a folder's rows again, and compare them.

    Parameters
    ----------
    folder : Path
    config : DictConfig
        Of the experiment and profile of the folder, as it is composed now.
    numbers : mapping of str to int
        Method -> number of its checks; others have :data:`IN_A_FOLDER`.
    exact : bool
        Compare byte for byte, even if this is not the code or the packages of the folder. Otherwise
        :data:`TOLERANCE` is allowed then.

    Returns
    -------
    dict
        "units": number of units that were computed. "not_unique": number of checks that are not
        compared, since rounding decides their ranking and this is not the code of OpenBLAS and
        NumPy that computed the folder. "differences": sentences, old beside new. "code": the
        digests of the code that ran. "seconds".
    """
    start = time.perf_counter()
    kinds.validate(config)
    kind = kinds.load(config.protocol.kind)
    if kind.stored_checks is None:
        raise ValueError(f"the kind {config.protocol.kind} gives no checks of its rows")
    rows = pd.read_parquet(folder / "rows.parquet")
    run = Run(config, resolve(config), Store(config.store), Outcome())
    rng = seeds.generator(0, "adoption", folder.name)
    sample = Sample(rows, rng, lambda name: numbers.get(name, IN_A_FOLDER))
    checks = list(kind.stored_checks(run, sample))
    run.complete([unit for check in checks for unit in check.units], folder.name)
    record = provenance_of(folder)
    same_code = processor.computed_here(record)
    tolerance = 0.0 if exact or (same_code and not other_versions(record)) else TOLERANCE
    differences, not_unique = [], 0
    for check in checks:
        computed = run.rows(list(check.units))
        if computed is None:
            errors = (run.outcome.failures.get(unit.key) for unit in check.units)
            differences.append(f"{check.method}: {next(filter(None, errors))}")
        elif same_code or check.is_unique(computed):
            differences += check.differences(computed, tolerance)
        else:
            not_unique += 1
    return {
        "units": len({unit.key for check in checks for unit in check.units}),
        "not_unique": not_unique,
        "differences": differences,
        "code": code_of(run.outcome),
        "seconds": round(time.perf_counter() - start, 1),
    }


def adopt(folder: Path, config: DictConfig, verified: Mapping[str, Any]) -> None:
    """Enter the code and the config of this revision into the provenance of a verified folder.

    Under "verified" it says so, with the number of rankings that are not unique. Nothing else
    changes.
    """
    record = provenance_of(folder)
    record["code"] = verified["code"]
    kept = {name: record["config"][name] for name in OF_THE_RUN if name in record["config"]}
    record["config"] = {**without_folders(plain(config)), **kept}
    record["verified"] = {
        "digest": verified["code"]["sources"],
        "units": verified["units"],
        **({"not_unique": n} if (n := verified["not_unique"]) else {}),
        "seconds": verified["seconds"],
        "date": datetime.now(UTC).date().isoformat(),
    }
    write_text(folder / "provenance.json", json.dumps(record, indent=2, default=str) + "\n")


def enter_as_due(path: Path, name: str, due: bool) -> None:
    """Write a folder into the YAML list of results that are due, or strike it.

    Comments stay, and so does an entry with another reason than :data:`REASON`.
    """
    text = path.read_text(encoding="utf-8")
    listed = yaml.safe_load(text) or {}
    if due and name not in listed:
        text += f"{name}: {REASON}\n"
    elif not due and listed.get(name) == REASON:
        text = text.replace(f"{name}: {REASON}\n", "")
    write_text(path, text)


def other_versions(record: Mapping[str, Any]) -> list[str]:
    """Packages of which another version is installed than the one that computed a result."""
    here = versions()
    return [
        f"{name} {version}, here {here.get(name, 'none')}"
        for name, version in record["packages"].items()
        if here.get(name) != version and name in ("numpy", "scipy", "scikit-learn")
    ]


def composed(record: Mapping[str, Any], data: str | None, store: Path, workers: int) -> DictConfig:
    """The config that this revision has for the run of a provenance."""
    home = [f"data.home={data}"] if data else []
    return kinds.composed(*record["overrides"], f"store={store}", f"workers={workers}", *home)


def numbers_of_checks(
    configs: Mapping[str, DictConfig], full: bool = False
) -> dict[str, dict[str, int]]:
    """Folder -> method -> number of checks, so that each scorer has enough of them in all.

    If `full`, each method of each folder has as many as a scorer has over all folders.
    """
    scorers = {
        (folder, method.name): [part.call for part in method.parts]
        for folder, config in configs.items()
        for method in resolve(config)
    }
    total = Counter(scorer for calls in scorers.values() for scorer in calls)
    numbers: dict[str, dict[str, int]] = {folder: {} for folder in configs}
    for (folder, method), calls in scorers.items():
        wanted = max((-(-OVER_ALL // total[scorer]) for scorer in calls), default=0)
        numbers[folder][method] = OVER_ALL if full else max(IN_A_FOLDER, wanted)
    return numbers


def processor_of(name: str) -> dict[str, str]:
    """The variables by which a run takes the code that computed the committed results.

    Empty if the user has set one of them, and if this machine cannot run that code.
    """
    if {processor.BLAS, processor.SIMD} & set(os.environ):
        return {}
    variables = processor.variables(provenance_of(RESULTS / name))
    if variables is None:
        print(f"{name}: results/ were computed on another kind of processor")
    return variables or {}


def store_of(environment: Mapping[str, str]) -> Path:
    """The store of runs with these variables, since units do not name the code of a processor."""
    values = (environment.get(variable) for variable in (processor.BLAS, processor.SIMD))
    # The user's own value may hold commas and spaces, which a path on a command line may not.
    return OUTPUTS / re.sub(r"\W+", "-", " ".join(["store", *filter(None, values)]))


def write_check(
    name: str, numbers: Mapping[str, int], data: str | None, workers: int, exact: bool
) -> None:
    """Verify a folder in this process, whose variables choose the code of the processor."""
    config = composed(provenance_of(RESULTS / name), data, store_of(os.environ), workers)
    verified = verify(RESULTS / name, config, numbers, exact=exact)
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    write_text(OUTPUTS / f"{name}.json", json.dumps(verified))


def check_all(names: list[str], data: str | None, workers: int, full: bool, adopts: bool) -> int:
    """Compute samples of folders again; the number of folders that do not come out.

    With `adopts`, those that come out byte for byte are adopted, and current ones are passed over
    unless `full`. The units of a check are stored: if this is interrupted, the next call goes on.
    """
    known = sorted(path.parent.name for path in RESULTS.glob("*/provenance.json"))
    records = {name: provenance_of(RESULTS / name) for name in known}
    if unknown := sorted(set(names) - set(records)):
        raise SystemExit(
            f"reproduce.py: results/ has no {', '.join(unknown)}: {', '.join(records)}"
        )
    configs = {name: composed(record, data, OUTPUTS, workers) for name, record in records.items()}
    numbers = numbers_of_checks(configs, full)
    failed: list[str] = []
    for name in names or records:
        if adopts and not full and not outdated(records[name], configs[name]):
            print(f"{name}: current")
            continue
        if adopts and (other := other_versions(records[name])):
            verified: dict[str, Any] = {"differences": [f"it needs {'; '.join(other)}"]}
        else:
            verified = checked(name, numbers[name], data, workers, adopts)
        differences = verified["differences"]
        if adopts:
            enter_as_due(RESULTS / "due.yaml", name, bool(differences))
            if not differences:
                adopt(RESULTS / name, configs[name], verified)
        failed += [name] * bool(differences)
        good = "adopted" if adopts else f"{verified.get('units')} units come out again"
        print(f"{name}: {f'{len(differences)} differences' if differences else good}")
        for line in differences[:SHOWN]:
            print(f"    {line}", flush=True)
    print(f"\n{len(failed)} folders do not come out again: {', '.join(failed) or 'none'}")
    return len(failed)


def checked(name, numbers, data, workers, exact) -> dict[str, Any]:
    """The result of :func:`verify` in a process with the processor code of a folder."""
    command = [sys.executable, __file__, name, "--check", json.dumps(numbers)]
    command += [f"--workers={workers}"]
    command += ["--adopt"] * exact + (["--data", data] if data else [])
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **processor_of(name)}
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        return {"differences": ["the check failed, see above"]}
    return json.loads((OUTPUTS / f"{name}.json").read_text("utf-8"))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders of results/")
    parser.add_argument("--data", metavar="FOLDER", help="where the data sets lie")
    parser.add_argument("--workers", type=int, default=2, help="default: 2")
    parser.add_argument("--adopt", action="store_true", help="adopt results by a sample of units")
    parser.add_argument("--full", action="store_true", help="a larger sample")
    parser.add_argument("--check", type=json.loads, metavar="JSON", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    data = chosen.data and str(Path(chosen.data).resolve())
    if chosen.check is not None:
        return write_check(chosen.names[0], chosen.check, data, chosen.workers, chosen.adopt)
    sys.exit(check_all(chosen.names, data, chosen.workers, chosen.full, chosen.adopt) > 0)


if __name__ == "__main__":
    main()
