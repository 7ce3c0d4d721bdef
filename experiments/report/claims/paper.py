"""The claims of the paper, one by one, from the file that lists them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from experiments.config import ConfigError, plain


@dataclass(frozen=True)
class Claim:
    """One number or statement of the paper, and where its counterpart is found.

    Attributes
    ----------
    id : str
        A name with dots, such as ``colon.best_test_acc.manifest``.
    experiment : str
        The experiment whose results stand beside the claim.
    published : float or str
        The number, or the statement.
    reader : str
        The function that reads the counterpart from the results: a module of
        :mod:`experiments.report.claims` and a name in it, such as ``accuracy.best``.
    arguments : dict
        Keyword arguments of the reader.
    remark : str
        What a reader of the comparison should know about the claim.
    repetitions : int, optional
        How many draws or splits the number is from. What is not said is read from the settings of
        the experiment; None where these do not tell it either.
    """

    id: str
    experiment: str
    published: float | str
    reader: str
    arguments: dict[str, Any] = field(default_factory=dict)
    remark: str = ""
    repetitions: int | None = None


def load(path: Path) -> list[Claim]:
    """The claims of a file, in its order.

    Parameters
    ----------
    path : Path
        ``paper.yaml``.

    Raises
    ------
    ConfigError
        If an entry lacks a key or has one too many, if two claims have the same id, or if a row of
        a table has more or fewer values than the table has parts.
    """
    claims: dict[str, Claim] = {}
    listed = _parsed(path.read_text(encoding="utf-8"))
    settings = listed.get("settings", {})
    for entry in chain.from_iterable(map(_claims_of, listed["claims"])):
        of_experiment = settings.get(entry.get("experiment"), {}).get("n")
        try:
            claim = Claim(**{"repetitions": of_experiment, **entry})
        except TypeError as error:
            raise ConfigError(f"{path.name}, the claim {entry.get('id')}: {error}") from error
        if claim.id in claims:
            raise ConfigError(f"{path.name} has two claims with the id {claim.id}")
        claims[claim.id] = claim
    return list(claims.values())


def _claims_of(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The claims of an entry: the entry itself, or those of a table, row by row."""
    if "each" not in entry:
        yield entry
        return
    common = {key: value for key, value in entry.items() if key not in ("parts", "each")}
    parts = entry.get("parts", [{}])
    for name, row in entry["each"].items():
        values = row if isinstance(row, list) else [row]
        if len(values) != len(parts):
            raise ConfigError(
                f"the claims {entry.get('id')}: the row {name} must have {len(parts)} values, one "
                f"for each part, got {len(values)}"
            )
        for part, published in zip(parts, values, strict=True):
            if published is not None:
                arguments = {"method": name.replace("+", "_"), **common.get("arguments", {})}
                claim = {**common, **part, "published": published}
                claim["id"] = f"{entry.get('id')}.{name}{part.get('id', '')}"
                yield {**claim, "arguments": {**arguments, **part.get("arguments", {})}}


@cache
def _parsed(text):
    """The file's text as a tree; to parse it takes longer than to compare all claims."""
    return plain(OmegaConf.create(text))
