"""The code that a unit of work runs, found by following imports, as this process has imported it.

A unit's key digests what all modules say that its function and its scorer import, transitively:
modules of this repository, and for a scorer from elsewhere the modules of its own package or
folder. A C file that has a module's name belongs to that module. For all other packages the major
and minor version counts. No list has to be kept: an edit of a scorer, or of a helper two imports
deep, changes the keys of the units that run it, and no others. Comments, docstrings, annotations
and layout are no part of a digest; see :mod:`experiments.engine.meaning`.

A module may say that it decides no numbers::

    DECIDES_NUMBERS = False

Then neither it nor what only it imports counts, unless a unit begins in it. With the name of a
parameter in place of False it counts for those units alone whose determinants give that parameter a
value other than None. It counts for others too if a module gives the parameter such a value itself,
or imports the marked module without having such a parameter.

Sources are recorded when Python imports a module, by a finder that stands before Python's own. A
file that is edited afterwards changes nothing for this process. If another process of the same run
has imported another source, the run ends with a sentence.
"""

import ast
import hashlib
import importlib
import inspect
import os
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any

from experiments.engine.meaning import Meaning, digest_of_c, meaning_of

#: Digests tell changed modules; this module and its neighbours only compare.
DECIDES_NUMBERS = False

#: Python compares the times of a source and of its bytecode in whole seconds, and may not see the
#: second of two edits that are so many seconds apart. The bytecode of a younger file is not used.
YOUNG = 2.0

_INSTALLED = tuple(
    os.path.join(folder, "")
    for folder in {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib")}
    | {sysconfig.get_path("platlib")}
)

#: The packages of this repository are a project's, also where they have been installed.
_REPOSITORY = tuple(
    os.path.join(Path(__file__).resolve().parents[2], package, "")
    for package in ("manifest", "baselines", "experiments")
)

#: For each module its source and that of its C file, as this process has imported them.
_sources: dict[str, tuple[bytes, bytes]] = {}


class Refused(RuntimeError):
    """A unit must not be computed under its key; the run ends with this sentence."""


class CodeChanged(Refused):
    """Code was edited while a run started: its processes have imported different sources."""


class _Recorder(SourceFileLoader):
    """Loads a module as Python does, and records the source that it was loaded from."""

    def get_code(self, fullname):
        while True:
            before = os.stat(self.path)
            source = _read(self.path)
            if abs(time.time() - before.st_mtime) < YOUNG:
                code: CodeType | None = self.source_to_code(source[0], self.path)
            else:
                code = super().get_code(fullname)
            after = os.stat(self.path)
            if (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size):
                break
        if _sources.setdefault(fullname, source) != source:
            raise CodeChanged(f"{self.path} was edited while this run started; start it again")
        return code


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
    at = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
    sys.meta_path.insert(at, _Finder)  # type: ignore[arg-type]
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
def code_digest(modules: tuple[str, ...], keywords: tuple[str, ...] = ()) -> str:
    """A digest of the code that modules consist of and import.

    Parameters
    ----------
    modules : tuple of str
        As :func:`modules_of` returns them.
    keywords : tuple of str
        As :func:`keywords_of` returns them.

    Returns
    -------
    str
        16 hexadecimal digits, which are equal for sources that say the same, wherever these lie.

    Raises
    ------
    ImportError
        If one of the modules cannot be found.
    """
    digest = hashlib.sha256(source_lines(modules, keywords).encode())
    for package in packages(modules, keywords):
        digest.update(f"{package} {version_of(package)}\n".encode())
    return digest.hexdigest()[:16]


def source_digest(modules: tuple[str, ...], keywords: tuple[str, ...] = ()) -> str:
    """A digest of the sources alone, which is the same under all versions of the packages."""
    return hashlib.sha256(source_lines(modules, keywords).encode()).hexdigest()[:16]


def source_lines(modules: Iterable[str], keywords: tuple[str, ...] = ()) -> str:
    """A line for each module of the closures: its name, its digest and that of its C file."""
    reached = sorted({name for root in modules for name in closure(root, keywords)})
    return "".join(
        f"{name} {_meaning(name).digest} {digest_of_c(source_of(name)[1])}\n" for name in reached
    )


def keywords_of(modules: Iterable[str], determinants: Any) -> tuple[str, ...]:
    """The parameters that let further modules count, and that have a value in determinants.

    Parameters
    ----------
    modules : iterable of str
        Where the code of a unit begins.
    determinants : nested dictionaries and lists
        Dictionaries anywhere in them are read. A value of None is none.
    """
    roots, keywords = tuple(modules), tuple[str, ...]()
    while True:
        marks = {mark for root in roots for mark in _reach(root, keywords)[1]}
        new = {mark for mark in marks if _has(determinants, mark)}
        if not new:
            return keywords
        keywords = tuple(sorted({*keywords, *new}))


def _has(value, keyword):
    if isinstance(value, dict):
        return value.get(keyword) is not None or any(_has(v, keyword) for v in value.values())
    return isinstance(value, list | tuple) and any(_has(inner, keyword) for inner in value)


def closure(root: str, keywords: tuple[str, ...] = ()) -> frozenset[str]:
    """A module and all modules of projects that it imports, directly or not, and that count."""
    return _reach(root, keywords)[0]


@cache
def _reach(root: str, keywords: tuple[str, ...]) -> tuple[frozenset[str], set[str]]:
    """The modules that count, and the keywords for which further ones would count."""
    counted: set[str] = set()
    given, new, held = set(keywords), {root}, dict[str, str]()
    while new:
        counted |= new
        given.update(*(_meaning(name).gives for name in new))
        reached = set[str]()
        for importer in new:
            takes = _meaning(importer).takes
            for name in filter(_is_own, _imports(importer)):
                mark = _meaning(name).mark
                if isinstance(mark, str) and mark in takes:
                    held[name] = mark
                elif mark is not False:
                    reached.add(name)
        new = (reached | {name for name, mark in held.items() if mark in given}) - counted
    return frozenset(counted), {mark for name, mark in held.items() if name not in counted}


def packages(modules: Iterable[str], keywords: tuple[str, ...] = ()) -> list[str]:
    """The installed packages that modules belong to, or that their closures import, sorted."""
    reached = {name for root in modules for name in closure(root, keywords)}
    imported = reached.union(*map(_imports, reached))
    tops = {name.partition(".")[0] for name in imported if not _is_own(name)}
    return sorted(tops - sys.stdlib_module_names)


@cache
def source_of(name: str) -> tuple[bytes, bytes]:
    """The source of a module as this process imports it, and that of a C file of its name.

    A module that this process has not imported yet is read now; if it is imported later from
    another source, that import fails.

    Raises
    ------
    ImportError
        If there is no such module.
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
    spec = _spec(top)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return not all(map(_is_installed, [*(os.path.join(f, "") for f in folders), _path(top)]))


@cache
def _imports(name: str) -> tuple[str, ...]:
    """The modules that a module of a project imports, wherever in its code, in order.

    If a name is imported from a package, the package's own module counts, unless the name is a
    module of the package. If the package imports the name's module only when it is asked for the
    name, that module counts too. Imports that only a type checker sees do not count.
    """
    if not _is_own(name):
        return ()
    spec = _spec(name)
    is_package = spec is not None and spec.submodule_search_locations is not None
    package = name.split(".") if is_package else name.split(".")[:-1]
    imported: list[str] = []
    for node in _meaning(name).imports:
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
            continue
        above = package[: len(package) - node.level + 1] if node.level else []
        stem = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            imported += [_most_precise(stem, alias.name), *_on_demand(stem, alias.name)]
    return tuple(dict.fromkeys(imported))


def _most_precise(stem: str, name: str) -> str:
    spec = _spec(stem) if _is_own(stem) else None
    inside = [Path(folder) for folder in ((spec and spec.submodule_search_locations) or ())]
    is_module = any((at / name).is_dir() or (at / f"{name}.py").is_file() for at in inside)
    return f"{stem}.{name}" if is_module else stem


def _on_demand(stem: str, name: str) -> list[str]:
    """The module of a name for which a package has a ``__getattr__``, as PEP 562 has it."""
    package = vars(sys.modules[stem]) if stem in sys.modules and _is_own(stem) else {}
    if name in package or "__getattr__" not in package:
        return []
    module = getattr(getattr(sys.modules[stem], name, None), "__module__", None)
    return [module] if module else []
