"""The examples in docstrings hold."""

import doctest
import importlib
import inspect
import re
from dataclasses import is_dataclass
from typing import Any

from tests.commands import ROOT


def test_examples_hold():
    for package in ("manifest", "baselines", "experiments"):
        for path in (ROOT / package).rglob("*.py"):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts).removesuffix(".__init__")
                failed, tried = doctest.testmod(importlib.import_module(name))
                assert (failed, tried > 0) == (0, True), name


def public() -> dict[str, Any]:
    """The objects of docs/reference.md, by the names that it gives them."""
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    names = re.findall(r"^::: ([\w.]+\.\w+)$", text, re.MULTILINE)
    places = (name.rpartition(".") for name in names)
    return {
        f"{place}.{name}": getattr(importlib.import_module(place), name)
        for place, _, name in places
    }


def test_each_parameter_of_a_public_object_is_described_on_its_own():
    """X and y of the filters are described by the package, what a class inherits by its base."""
    wrong = []
    for name, found in public().items():
        text = "\n\n".join(inspect.getdoc(one) or "" for one in getattr(found, "__mro__", [found]))
        section = "\n".join(re.findall(r"Parameters\n-+\n(.*?)(?:\n\n|\Z)", text, re.DOTALL))
        described = set(re.findall(r"\w+", " ".join(re.findall(r"^ *([\w, ]+) :", section, re.M))))
        if "Attributes\n-" in text and not section and is_dataclass(found):
            continue  # It is a result, whose fields are its parameters.
        if isinstance(found, type) and issubclass(found, Warning | Exception):
            continue
        needed = {
            p for p, of in inspect.signature(found).parameters.items() if of.kind < of.VAR_KEYWORD
        }
        known = {"self", "X", "y"} if name.startswith("baselines.") else {"self"}
        wrong += [f"{name}: {p}" for p in sorted(needed - described - known)]
    assert not wrong, "\n".join(wrong)
