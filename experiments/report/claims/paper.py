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
    """One number or statement of the paper, and the place of its counterpart."""

    #: A name with dots, such as ``colon.best_test_acc.manifest``.
    id: str
    #: The claim in words, as pages name it.
    text: str
    #: The version of the paper that makes the claim: "2022", "2023" or "neither".
    version: str
    #: The experiment whose results stand beside the claim.
    experiment: str
    #: The number, or the statement.
    published: float | str
    #: The function that reads the counterpart from the results: a module of
    #: :mod:`experiments.report.claims` and a name in it, such as ``accuracy.best``.
    reader: str
    #: Keyword arguments of the reader.
    arguments: dict[str, Any] = field(default_factory=dict)
    #: What a reader of the comparison should know about the claim.
    remark: str = ""
    #: The number of draws or splits behind the number, by default that of the settings of the
    #: experiment; None if the paper does not tell it.
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
    settings, words = listed.get("settings", {}), listed.get("methods", {})
    for entry in chain.from_iterable(_claims_of(entry, words) for entry in listed["claims"]):
        repetitions = settings.get(entry.get("experiment"), {}).get("n")
        try:
            claim = Claim(**{"repetitions": repetitions, **entry})
        except TypeError as error:
            raise ConfigError(f"{path.name}, the claim {entry.get('id')}: {error}") from error
        if claim.id in claims:
            raise ConfigError(f"{path.name} has two claims with the id {claim.id}")
        claims[claim.id] = claim
    return list(claims.values())


def _claims_of(entry: dict[str, Any], words: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The claims of an entry: the entry itself, or those of a table, row by row."""
    if "each" not in entry:
        yield _dated(entry)
        return
    common = {k: v for k, v in entry.items() if k not in ("id", "text", "parts", "each", "except")}
    parts = entry.get("parts", [{}])
    for name, row in entry["each"].items():
        values = row if isinstance(row, list) else [row]
        if len(values) != len(parts):
            raise ConfigError(
                f"the claims {entry.get('id')}: the row {name} must have {len(parts)} values, one "
                f"for each part, got {len(values)}"
            )
        if name not in words:
            raise ConfigError(f"the claims {entry.get('id')}: methods has no words for {name}")
        method = {"method": name.replace("+", "_").replace(".", "_")}
        for part, published in zip(parts, values, strict=True):
            if published is None:
                continue
            end = f"{name}{part.get('id', '')}"
            yield _dated(
                common
                | part
                | {
                    "id": f"{entry.get('id')}.{end}",
                    "text": f"{words[name]}: {entry.get('text', '')}{part.get('text', '')}",
                    "published": published,
                    "arguments": method | common.get("arguments", {}) | part.get("arguments", {}),
                }
                | entry.get("except", {}).get(end, {})
            )


def _dated(claim: dict[str, Any]) -> dict[str, Any]:
    """The claim with its version, by default 2022; the text of one of 2023 says so."""
    if str(claim.get("id")).startswith("icml."):
        return claim | {"text": f"{claim.get('text', '')} (version of 2023)", "version": "2023"}
    return {"version": "2022", **claim}


@cache
def _parsed(text):
    """The file's text as a tree; to parse it takes longer than to compare all claims."""
    return plain(OmegaConf.create(text))
