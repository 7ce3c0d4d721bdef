"""The examples in docstrings hold."""

import doctest
import importlib

from tests.commands import ROOT


def test_examples_hold():
    for package in ("manifest", "baselines", "experiments"):
        for path in (ROOT / package).rglob("*.py"):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts).removesuffix(".__init__")
                failed, tried = doctest.testmod(importlib.import_module(name))
                assert (failed, tried > 0) == (0, True), name
