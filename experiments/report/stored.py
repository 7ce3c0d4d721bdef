"""Read and replace stored runs: the provenance, tables and rows in a folder.

What is missing or damaged raises a ConfigError that says which file.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.config import ConfigError, one_of
from experiments.files import write_text

PROVENANCE = "provenance.json"
#: The files that a run always replaces, and all that runs write.
SHOWN = re.compile(r"report\.html|figure.*\.(png|pdf)")
WRITTEN = re.compile(
    r"(accuracies|answers|by_data_set|curves|data_sets|differ|differences|eigenvectors|features"
    r"|images|left_out|pairs|panels|points|practical|predictions|problems|questions|ranks|read"
    r"|regions|regret|rows|sources|summary|tsne)\.(csv|parquet)"
    rf"|(answer|read)\.json|(differences|methods|selected)\.txt|{SHOWN.pattern}"
)
SUFFIXES = {".csv", ".html", ".json", ".parquet", ".pdf", ".png", ".txt"}


class Missing(ValueError):
    """Raised if results lack what is looked for; the message says what."""


def provenance_of(folder: Path) -> dict[str, Any]:
    """Return the provenance of a run; empty if the folder has none."""
    path = folder / PROVENANCE
    if not path.exists():
        return {}
    try:
        record = json.loads(path.read_text("utf-8"))
        files = record.get("files", [])
        has_types = isinstance(record["config"], dict) and isinstance(files, list)
        if has_types and all(isinstance(name, str) for name in files):
            return record
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    raise ConfigError(f"{path} is not the provenance of a run; remove it, or give another folder")


def write_provenance(folder: Path, record: dict[str, Any], files: Iterable[str]) -> None:
    """Write the provenance of a run, with the names of its files."""
    record["files"] = sorted({*files, PROVENANCE})
    write_text(folder / PROVENANCE, json.dumps(record, indent=2, default=str) + "\n")


def add_files(folder: Path, names: Iterable[str]) -> None:
    """Add files to the list in the provenance of a run, if it has one."""
    record = provenance_of(folder)
    if "files" not in record:
        return
    listed = {*record["files"]}
    names = {*names}
    if not names <= listed:
        write_provenance(folder, record, names | listed)


def digests(contents: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 digest of each file of rows among the files of a run, by its name."""
    digest_of = {}
    for name, content in contents.items():
        if name.endswith(".parquet"):
            digest_of[name] = hashlib.sha256(content).hexdigest()
    return digest_of


def altered(folder: Path) -> list[str]:
    """Return what is wrong with the files of rows in a folder, by the digests of its provenance."""
    contents = {path.name: path.read_bytes() for path in folder.glob("*.parquet")}
    here = digests(contents)
    known = provenance_of(folder).get("digests", {})
    names = {name for name, _ in here.items() ^ known.items()}
    return [f"{name} is not that of its run" for name in sorted(names)]


def former_files(folder: Path) -> list[Path]:
    """Return the files of an earlier run in a folder, which the next one replaces.

    They are its page, its figures, and what its provenance lists with a suffix of a run.

    Raises
    ------
    ConfigError
        If the folder has files of such names and no provenance, or a folder of such a name.
    """
    record = provenance_of(folder)
    here = sorted(folder.iterdir()) if folder.is_dir() else []
    taken = [path for path in here if WRITTEN.fullmatch(path.name)]
    for path in taken:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; give another hydra.run.dir=PATH")
    if taken and not record:
        raise ConfigError(
            f"{folder} has {', '.join(path.name for path in taken)}, and no {PROVENANCE} says that "
            "a run wrote them; give another hydra.run.dir=PATH, or move them"
        )
    listed = record.get("files", [])
    former = []
    for path in here:
        is_listed = path.name in listed and path.suffix in SUFFIXES
        if not (is_listed or SHOWN.fullmatch(path.name)):
            continue
        if path.is_file() and path.name != PROVENANCE:
            former.append(path)
    return former


def table_of(folder: Path, name: str) -> pd.DataFrame:
    """Return a stored table, NAME.csv or NAME.parquet."""
    path = folder / name
    try:
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except (OSError, ValueError) as error:
        is_missing = isinstance(error, FileNotFoundError)
        fault = "is missing" if is_missing else f"is damaged ({error})"
        raise ConfigError(f"{path} {fault}; run the experiment again in this folder") from error


def chosen(path: Path, where: dict[str, Any]) -> pd.DataFrame:
    """Return the rows of a file whose columns have these values, or one of a list; at least one."""
    rows = pd.read_csv(path, dtype={"n_train": str})  # A number, or "all".
    for column, value in where.items():
        values = value if isinstance(value, list) else [value]
        is_chosen = rows[column].isin(values)
        rows = rows[is_chosen]
    if rows.empty:
        raise Missing(f"no row of {path.parent.name}/{path.name} has {where}")
    return rows


def tables_in(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the stored tidy tables of a run, by the names of their files."""
    return {path.stem: table_of(folder, path.name) for path in sorted(folder.glob("*.parquet"))}


def finished_run(folder: Path) -> dict[str, Any]:
    """Return the provenance of a finished run, of which all tables can be read."""
    record = provenance_of(folder)
    has_config = {"name", "figure", "protocol"} <= record.get("config", {}).keys()
    if not has_config or "data" not in record:
        raise ConfigError(f"{folder} has no finished run; {PROVENANCE} lacks its config or data")
    for name in ("rows.parquet", "summary.csv", *record.get("files", ())):
        if Path(name).suffix in (".csv", ".parquet"):
            table_of(folder, name)
    return record


def with_results(results: Path) -> list[str]:
    """Return the experiments that have results in a folder of results."""
    return sorted(path.parent.name for path in results.glob("*/provenance.json"))


def folder_of(name: str, results: Path) -> Path:
    """Return the folder of a run, which is given, or has the results of an experiment."""
    if (Path(name) / "provenance.json").is_file():
        return Path(name)
    return results / one_of(name, with_results(results), "experiment with stored results")


def runs_in(name: str, results: Path) -> dict[str, Path]:
    """Return the folder of a run, or those of the finished jobs of a sweep, by their names."""
    path = Path(name)
    if not (path / "sweep.csv").is_file():
        return {name: folder_of(name, results)}
    folders = table_of(path, "sweep.csv")["folder"]
    runs = {}
    for job in sorted({f"{name}/{folder}" for folder in folders}):
        if (Path(job) / PROVENANCE).is_file():
            runs[job] = Path(job)
    return runs


def standing_of(data: dict[str, Any]) -> str:
    """Return the standing of the samples of a run, from the data of its provenance."""
    for kind in ("synthetic", "generated", "verified"):
        if data.get(kind):
            return kind.replace("synthetic", "SYNTHETIC")
    # The name of some of its rows is "table, a part".
    name = data["name"].split(",")[0]
    if name.startswith("OpenML "):
        return "as on OpenML"
    return "your own table" if name == "table" else "unverified"
