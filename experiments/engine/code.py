"""The code that a unit of work runs, found by following imports, as this process has imported it.

A unit's key digests what all modules say that its function and its scorer import, transitively:
modules of this repository, and for a scorer from elsewhere the modules of its own package or
folder. A C file that has a module's name belongs to that module. For all other packages the major
and minor version counts. No list has to be kept: an edit of a scorer, or of a helper two imports
deep, changes the keys of the units that run it, and no others. Comments, docstrings, annotations
and layout are no part of a digest; see :mod:`experiments.engine.meaning`.

A module that decides no numbers may say so: ``DECIDES_NUMBERS = False``. Then neither it nor what
only it imports counts, unless a unit begins in it.

A finder before Python's own records each source when it is imported. A file that is edited
afterwards changes nothing for this process. If another process of the run has imported another
source, the run stops with an error message.
"""

import ast
import hashlib
import importlib
import inspect
import os
import site
import sys
import sysconfig
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any

from experiments.engine.meaning import Meaning, digest_of_c, meaning_of

DECIDES_NUMBERS = False

_NUMPY = find_spec("numpy")
#: Folders of Python and of installed packages: an environment's, a user's, and the one with NumPy,
#: as after ``pip install --target FOLDER``.
_INSTALLED = tuple(
    os.path.join(folder, "")
    for folder in (
        *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
        *(*site.getsitepackages(), site.getusersitepackages()),
        *map(os.path.dirname, _NUMPY.submodule_search_locations or () if _NUMPY else ()),
    )
)

#: The packages of this repository are a project's, also where they have been installed. In a wheel
#: all of them lie in the folder of the package `manifest`.
_AT = Path(__file__).resolve().parents[2]
_REPOSITORY = tuple(
    os.path.join(folder, "")
    for folder in ([_AT / name for name in ("manifest", "baselines", "experiments")])
    + ([_AT.parent] if _AT.parent.name == "manifest" else [])
)

#: For each module its source and that of its C file, as this process has imported them.
_sources: dict[str, tuple[bytes, bytes]] = {}


class Refused(RuntimeError):
    """A unit must not be computed under its key; the run ends with this sentence."""


class CodeChanged(Refused):
    """Code was edited while a run started: its processes have imported different sources."""


class _Recorder(SourceFileLoader):
    """Loads a module from its source, which it records: bytecode may be of an earlier source."""

    def get_code(self, fullname):
        source = _read(self.path)
        if _sources.setdefault(fullname, source) != source:
            raise CodeChanged(f"{self.path} was edited while this run started; start it again")
        return self.source_to_code(source[0], self.path)


class _Finder:
    """Finds modules as Python's own finder does; those of projects get the loader that records."""

    @staticmethod
    def find_spec(name, path=None, target=None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec and type(spec.loader) is SourceFileLoader and not _is_installed(spec.origin):
            spec.loader = _Recorder(name, str(spec.origin))
        return spec


def record_imports() -> None:
    """Record the sources of modules from now on; those imported before are read at once."""
    if _Finder in sys.meta_path:
        return
    sys.meta_path.insert(sys.meta_path.index(PathFinder), _Finder)  # type: ignore[arg-type]
    for name in list(sys.modules):
        path = _path(name)
        if path and not _is_installed(path):
            _sources.setdefault(name, _read(path))


def modules_of(functions: Iterable[Callable[..., Any]]) -> tuple[str, ...]:
    """The modules that functions, classes or other callables come from, sorted."""
    modules = set()
    for function in functions:
        while hasattr(function, "func"):  # functools.partial
            function = function.func
        function = inspect.unwrap(function)
        modules.add(getattr(function, "__module__", None) or type(function).__module__)
    return tuple(sorted(modules))


@cache
def code_digest(modules: tuple[str, ...]) -> str:
    """A digest of the code that modules consist of and import.

    Parameters
    ----------
    modules : tuple of str
        As :func:`modules_of` returns them. An ImportError is raised if one cannot be found.

    Returns
    -------
    str
        16 hexadecimal digits, which are equal for sources that say the same, wherever these lie.
    """
    versions = [f"{package} {version_of(package)}" for package in packages(modules)]
    return _digest([source_digest(modules), *versions])


def source_digest(modules: tuple[str, ...]) -> str:
    """A digest of the sources alone, which is the same under all versions of the packages."""
    reached = sorted(frozenset().union(*map(closure, modules)))
    return _digest(
        f"{name} {_meaning(name).digest} {digest_of_c(source_of(name)[1])}" for name in reached
    )


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@cache
def closure(root: str) -> frozenset[str]:
    """A module and all modules of projects that it imports, directly or not, and that count."""
    counted, new = set[str](), {root}
    while new:
        counted |= new
        imported = {name for importer in new for name in _imports(importer) if _is_own(name)}
        new = {name for name in imported - counted if _meaning(name).decides_numbers}
    return frozenset(counted)


def packages(modules: Iterable[str]) -> list[str]:
    """The installed packages that modules belong to, or that their closures import, sorted."""
    reached = frozenset().union(*map(closure, modules))
    imported = reached.union(*map(_imports, reached))
    tops = {name.partition(".")[0] for name in imported if not _is_own(name)}
    return sorted(tops - sys.stdlib_module_names)


@cache
def source_of(name: str) -> tuple[bytes, bytes]:
    """The source of a module as this process imports it, and that of a C file of its name.

    A module that this process has not imported yet is read now; if it is imported later from
    another source, that import fails.
    """
    if name not in _sources:
        path = _path(name)
        if path is None and _spec(name) is None:
            raise ImportError(f"there is no module {name!r}", name=name)
        _sources[name] = _read(path) if path else (b"", b"")
    return _sources[name]


@cache
def _meaning(name: str) -> Meaning:
    """The meaning of a module of a project; an empty one of others, whose version counts."""
    python, _ = source_of(name)
    return meaning_of(python if _is_own(name) else b"")


@cache
def version_of(package: str) -> str:
    """The major and minor version of an installed package; empty for one without a version."""
    version = ""
    with suppress(ImportError):  # also of a package that is not installed
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            version = str(getattr(importlib.import_module(package), "__version__", ""))
    return ".".join(version.split(".")[:2])


def _read(path: str) -> tuple[bytes, bytes]:
    beside = Path(path).with_suffix(".c")
    return Path(path).read_bytes(), beside.read_bytes() if beside.is_file() else b""


def _spec(name: str) -> ModuleSpec | None:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if spec is None and name != "__main__":
        with suppress(ImportError, ValueError):
            spec = find_spec(name)
    return spec


def _folders(name: str) -> list[str]:
    """The folders of a package; none of another module."""
    spec = _spec(name)
    return list(spec.submodule_search_locations or ()) if spec else []


def _path(name: str) -> str | None:
    """The Python file of a module; None for what is compiled, built in or a mere folder."""
    spec = _spec(name)
    path = spec.origin if spec else getattr(sys.modules.get(name), "__file__", None)
    return path if path and path.endswith(".py") and os.path.exists(path) else None


def _is_installed(path: str | None) -> bool:
    """True for a file of Python or of an installed package, but for none of this repository."""
    return not path or (path.startswith(_INSTALLED) and not path.startswith(_REPOSITORY))


@cache
def _is_own(name: str) -> bool:
    """True for a module of a project: neither of Python nor of an installed package."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return False
    folders = [os.path.join(folder, "") for folder in _folders(top)]
    return not all(map(_is_installed, [*folders, _path(top)]))


@cache
def _imports(name: str) -> frozenset[str]:
    """The modules that a module of a project imports, wherever in its code.

    If a name is imported from a package, the package's own module counts, unless the name is a
    module of the package. If the package imports the name's module only when it is asked for the
    name, that module counts too.
    """
    if not _is_own(name):
        return frozenset()
    package = name if _folders(name) else name.rpartition(".")[0]
    imported = set[str]()
    for node in _meaning(name).imports:
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
            continue
        stem = resolve_name("." * node.level + (node.module or ""), package)
        for alias in node.names:
            imported.update([_most_precise(stem, alias.name), *_on_demand(stem, alias.name)])
    return frozenset(imported)


def _most_precise(stem: str, name: str) -> str:
    inside = map(Path, _folders(stem) if _is_own(stem) else ())
    is_module = any((at / name).is_dir() or (at / f"{name}.py").is_file() for at in inside)
    return f"{stem}.{name}" if is_module else stem


def _on_demand(stem: str, name: str) -> list[str]:
    """The module of a name for which a package has a ``__getattr__``, as PEP 562 has it."""
    package = vars(sys.modules[stem]) if stem in sys.modules and _is_own(stem) else {}
    if name in package or "__getattr__" not in package:
        return []
    module = getattr(getattr(sys.modules[stem], name, None), "__module__", None)
    return [module] if module else []
