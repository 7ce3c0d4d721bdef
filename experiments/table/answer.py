"""The answer to an own table: the samples, which features differ, and what can be predicted."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.datasets.own.table import Table
from experiments.table.differ import FeatureTests, copies_of, rank_test
from experiments.table.predict import Chosen, NoPrediction, Prediction
from experiments.table.warned import warnings_of


@dataclass(frozen=True)
class Differences:
    """The first question: the features that differ, and how they were tested."""

    evidence: bool
    features: list[str]
    n_tested: int
    #: None if it is infinite.
    prior_df: float | None
    #: The number of groups within which classes are compared.
    within: int | None
    rank_test: str

    @classmethod
    def of(cls, tests: FeatureTests, ordered: pd.DataFrame, n_classes: int) -> "Differences":
        """Return what the tests of all features say."""
        features = ordered.loc[ordered["differs"], "feature"].tolist()
        return cls(
            evidence=bool(features),
            features=features,
            n_tested=int(ordered["p_value"].notna().sum()),
            prior_df=tests.prior_df if np.isfinite(tests.prior_df) else None,
            within=tests.within or None,
            rank_test=rank_test(n_classes, tests.within > 0).name,
        )


@dataclass
class Answer:
    """The samples of a table, both answers, and the chosen set; answer.json has these fields."""

    file: str
    target: str
    n_samples: int
    n_features: int
    #: Class -> number of its samples.
    classes: dict[str, int]
    groups: str | None
    n_groups: int | None
    adjust: list[str]
    n_gaps: int
    notes: list[str]
    warnings: list[str]
    differ: Differences
    predict: Prediction | NoPrediction | None = None
    selected: Chosen | None = None
    #: The answers in words: question, short and long answer.
    answers: list[tuple[str, str, str]] = field(default_factory=list)
    #: The methods, for a paper.
    paragraph: str = ""

    @classmethod
    def of(
        cls, samples: Table, config: DictConfig, tests: FeatureTests, differ: Differences
    ) -> "Answer":
        """Return the answer to the first question."""
        options = config.dataset
        has_groups = samples.groups is not None
        names = samples.label_names.values()
        return cls(
            file=Path(options.path).name,
            target=options.target,
            n_samples=len(samples.y),
            n_features=samples.X.shape[1],
            classes=dict(zip(names, np.bincount(samples.y).tolist(), strict=True)),
            groups=options.groups if has_groups else None,
            n_groups=len(set(samples.groups or ())) if has_groups else None,
            adjust=list(samples.adjust),
            n_gaps=int(np.isnan(samples.X).sum()),
            notes=list(samples.notes),
            warnings=warnings_of(samples, tests, copies_of(samples.X)),
            differ=differ,
        )
