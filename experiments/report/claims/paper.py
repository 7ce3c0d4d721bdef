"""The claims of the paper, one by one, from the file that lists them."""

from collections.abc import Iterator
from typing import Any

#: Parts of the file that describe how an experiment is done, and claim nothing.
SETTINGS = {"n", "data", "grids", "n_per_class", "classes", "test"}
#: What the numbers of a list are: the first is the claim itself.
PARTS = ("std", "features")

#: What a reader should know about single claims.
REMARKS = {
    ("colon", "split_49_13", "manifest", "acc"): "the paper's table says 85.23, its text 85.38",
    ("colon", "embedded_49_13", "manifest"): "the paper's text says 85.38, its table 85.23",
}

_TABLE = "table1_error_percent_std_features"


def flatten(claims: dict, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Path and content of every claim.

    ``name: [value, std, features]`` is a claim ``name`` and claims ``name.std`` and
    ``name.features``; a list of methods is one claim a method.
    """
    for name, content in claims.items():
        if name in SETTINGS:
            continue
        here = (*path, str(name))
        if isinstance(content, dict):
            yield from flatten(content, here)
        elif isinstance(content, list) and isinstance(content[0], str):
            yield from (((*here, item), str(name)) for item in content)
        elif isinstance(content, list):
            yield here, content[0]
            yield from (((*here, part), x) for part, x in zip(PARTS, content[1:], strict=False))
        else:
            yield here, content


def experiment_of(path: tuple[str, ...]) -> str:
    """The experiment whose results stand beside a claim."""
    if path[:2] == ("icml", _TABLE):
        return path[3]
    if path[:2] in {("colon", "split_49_13"), ("colon", "embedded_49_13")}:
        return "colon_embedded"
    if path[:3] == ("colon", "gap", "scales"):
        return "colon_scales"
    return path[0]
