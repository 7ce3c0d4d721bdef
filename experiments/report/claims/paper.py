"""The claims of the paper, one by one, from the file that lists them."""

from dataclasses import dataclass, field
from functools import cache
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
        If an entry lacks a key or has one too many, or if two entries have the same id.
    """
    claims: dict[str, Claim] = {}
    listed = _parsed(path.read_text(encoding="utf-8"))
    settings = listed.get("settings", {})
    for entry in listed["claims"]:
        of_experiment = settings.get(entry.get("experiment"), {}).get("n")
        try:
            claim = Claim(**{"repetitions": of_experiment, **entry})
        except TypeError as error:
            raise ConfigError(f"{path.name}, the claim {entry.get('id')}: {error}") from error
        if claim.id in claims:
            raise ConfigError(f"{path.name} has two claims with the id {claim.id}")
        claims[claim.id] = claim
    return list(claims.values())


@cache
def _parsed(text):
    """The file's text as a tree; to parse it takes longer than to compare all claims."""
    return plain(OmegaConf.create(text))
