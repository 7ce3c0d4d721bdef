"""Identify the code that computes a task: sources, package versions, scorers from elsewhere."""

import hashlib
import logging
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from itertools import chain
from pathlib import Path
from types import ModuleType

from experiments.seeds import canonical_json

log = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parents[1]
#: Folders of the sources that may change a number.
SOURCES = ("manifest", "baselines", "experiments")
#: The folders and modules among them that decide no number of an experiment: they show, list or
#: record numbers, or answer an own table, whose tasks have a digest of their own.
SHOWS = (
    "experiments/report/",
    "experiments/table/",
    *(f"experiments/{name}.py" for name in ("errors", "listing", "provenance", "run", "sweep")),
)
#: Packages whose versions may change any number.
PACKAGES = ("numpy", "scipy", "scikit-learn")
#: A text in the key of a task -> optional packages whose versions may change its numbers.
OPTIONAL = {
    "skfeature": ("skfeature-chappers",),
    "baselines.embedded": ("jax", "jaxlib"),
}
#: In place of a digest: the code cannot be read, and what it computes is not stored.
UNKNOWN = "unknown code"
#: What :func:`elsewhere` has found in this process: call -> name of a module or distribution -> its
#: digest or version.
FOUND: dict[str, dict[str, str]] = {}
#: Package -> the distributions that bring it; to find them takes a second.
distributions = cache(metadata.packages_distributions)


@cache
def code() -> str:
    """Return a digest of the sources and package versions that may change a number."""
    parts = [digest_of_folders(*SOURCES, but=SHOWS), *map(metadata.version, PACKAGES)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def digest_of_folders(*folders: str, but: tuple[str, ...] = ()) -> str:
    """Return a digest of the sources in folders of this repository, but for those in others."""
    digest = hashlib.sha256()
    files: list[Path] = []
    for folder in folders:
        files += (ROOT / folder).rglob("*.[cp]*")
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in (".py", ".c") and not name.startswith(but):
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def optional_versions(key: str) -> dict[str, str]:
    """Return the versions of the installed optional packages that the task of a key may use."""
    versions: dict[str, str] = {}
    for text, packages in OPTIONAL.items():
        if text in key:
            versions |= {name: version(name) for name in packages if version(name)}
    return versions


@cache
def version(package: str) -> str:
    """Return the version of a package, empty if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def elsewhere(call: str) -> str:
    """Return a digest of the code of a scorer or classifier that is not of this repository.

    Parameters
    ----------
    call : str
        As :func:`baselines.get` takes it, and loaded. After a trial it has imported what it needs.

    Returns
    -------
    digest : str
        Of all loaded modules that are neither of this repository nor installed, and of the
        distribution that the package belongs to, if one. Empty for code of this repository, and
        :data:`UNKNOWN` if there is nothing to read.
    """
    name = call.strip().partition(":")[0]
    place = _place(_file(sys.modules.get(name)))
    if ":" not in call or place == "here":
        return ""
    if call not in FOUND:
        packages = distributions().get(name.partition(".")[0], ())
        modules = loose_modules() if place == "loose" else {}
        digests = {each: digest_of(file) for each, file in modules.items()}
        FOUND[call] = digests | {each: _installed(each) for each in packages}
        if not FOUND[call] or UNKNOWN in digests.values():
            log.warning("the code of %s cannot be read, so its results are not stored", call)
            FOUND[call] = {name: UNKNOWN}
    if UNKNOWN in FOUND[call].values():
        return UNKNOWN
    return hashlib.sha256(canonical_json(FOUND[call]).encode()).hexdigest()[:16]


def loose_modules() -> dict[str, str]:
    """Return the files of loaded modules that are neither of this repository nor installed."""
    files = {name: _file(module) for name, module in sorted(sys.modules.items())}
    return {name: str(file) for name, file in files.items() if _place(file) == "loose"}


def _file(module: ModuleType | None) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).absolute() if isinstance(file, str) else None


def _place(file: Path | None) -> str:
    """Say whether code is here or loose; empty if it is installed, of Python, or has no file."""
    if file is None or file.is_relative_to(sysconfig.get_path("stdlib")):
        return ""
    if any(file.is_relative_to(ROOT / folder) for folder in SOURCES):
        return "here"
    return "" if {"site-packages", "dist-packages"} & {*file.parts} else "loose"


def _installed(package: str) -> str:
    """Return the version of a distribution and a digest of the list of its files."""
    lines = (metadata.distribution(package).read_text("RECORD") or "").splitlines()
    inside = "\n".join(line for line in lines if not line.startswith(".."))
    return f"{version(package)} {hashlib.sha256(inside.encode()).hexdigest()[:16]}"


@cache
def digest_of(file: str) -> str:
    """Return a digest of a file as it was when this process first asked for it."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError:
        return UNKNOWN


def state(files: Iterable[str]) -> list[str]:
    """Return what must be equal in a run and its workers: sources, packages, and loose files."""
    packages = chain.from_iterable(OPTIONAL.values())
    return [code(), *map(version, packages), *map(digest_of, files)]
