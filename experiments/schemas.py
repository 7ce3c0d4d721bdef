"""Define the schema of each kind of experiment: the options of its ``protocol``.

They are apart from the kinds, so that Hydra checks a command without their libraries.
"""

import itertools
from dataclasses import dataclass, field
from typing import Any

from experiments.config import ProtocolConfig


@dataclass
class Case:
    """One part of an experiment: its label, and the difference of its samples."""

    label: str = ""
    #: The features that figures mark, counted from 1.
    marked: list[int] = field(default_factory=list)
    #: Arguments of the generator, over those of the data set.
    params: dict[str, Any] = field(default_factory=dict)


@dataclass
class RecoveryProtocol(ProtocolConfig):
    """Draws of a generator that knows the relevant features."""

    kind: str = "recovery"
    #: Number of the best features that are selected; as many as are relevant if null.
    n_selected: int | None = None
    #: Parts of the experiment, by name, each summarised on its own; one unnamed part if empty.
    cases: dict[str, Case] = field(default_factory=dict)
    #: Share of the samples that neither rankings nor SVMs see; none if null.
    test_size: float | None = None
    #: Number of the other samples that rankings are made from, stratified; all if null.
    ranking_samples: int | None = None
    #: Number of draws, the first ones, in which an SVM on the selected features is tested.
    evaluated_draws: int = 0
    inner_folds: int = 10
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)
    #: Methods whose selection in the first draw is shown by t-SNE, beside all features.
    embedded: list[str] = field(default_factory=list)


@dataclass
class Classifier:
    """One entry of ``protocol.classifiers``."""

    label: str = ""
    #: "module:Class", with scikit-learn's interface.
    call: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    #: Parameter -> values, the simplest first; ties go to the first.
    grid: dict[str, list[Any]] = field(default_factory=dict)
    #: Whether features are scaled to mean 0 and variance 1 on the rows used for fitting.
    scale: bool = False
    #: Folds of the cross-validation for tuning; null means those of the protocol.
    inner_folds: int | None = None

    def candidates(self) -> list[dict[str, Any]]:
        """Return all combinations of the grid's values; the last parameter varies fastest."""
        products = itertools.product(*self.grid.values())
        return [dict(zip(self.grid, values, strict=True)) for values in products]


@dataclass
class AccuracyProtocol(ProtocolConfig):
    """Splits of a data set, the SVM's grid, and how the tasks are read."""

    kind: str = "accuracy"
    #: The share of the test samples, or, if it is null, the training samples of each class.
    test_size: float | None = 0.1
    n_per_class: int | None = None
    inner_folds: int = 10
    #: Number of times that the inner folds are drawn. Validation under "paper" and "icml" is the
    #: mean over all of them. "nested" and `classifiers` take the folds of the first repeat, because
    #: each fold costs new rankings, or new fits.
    inner_repeats: int = 1
    sizes: list[int] = field(default_factory=list)
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)
    #: Ways of tuning; "nested" ranks inner_folds times more often, "icml", "once" and "oracle" read
    #: the tasks of "paper".
    tuning: list[str] = field(default_factory=lambda: ["paper", "nested"])
    #: Shares of the training rows that rankings are made from; the SVM always sees all of them.
    ranking_shares: list[float] = field(default_factory=lambda: [1.0])
    #: Method or tuning -> number of splits, the first ones, if it is too slow for all of them.
    fewer_splits: dict[str, int] = field(default_factory=dict)
    #: Classifiers that select features themselves, evaluated on the same splits, by name.
    classifiers: dict[str, Classifier] = field(default_factory=dict)


@dataclass
class ArenaProtocol(AccuracyProtocol):
    """Splits and grids of the kind accuracy, tuned as nested, for each of several data sets."""

    kind: str = "arena"
    tuning: list[str] = field(default_factory=lambda: ["nested"])
    #: The data sets, by their files in configs/dataset or by their names in `sets`.
    datasets: list[str] = field(default_factory=list)
    #: Name -> changes to the file of that name: keys of an `ArenaSet`.
    sets: dict[str, Any] = field(default_factory=dict)
    #: Numbers of training samples; "all" leaves `test_size` for the test.
    n_train: list[Any] = field(default_factory=lambda: [20, 50, "all"])
    #: Largest number of training samples for "all"; the others of a data set are test samples.
    max_train: int = 500
    #: The classifier that tests a ranking: "svm", or "logistic", whose grid is log2_C.
    evaluator: str = "svm"
    #: Data sets that were not used to choose a method. Ranks, differences and regrets are given for
    #: them (the main result) and for all data sets. Those that a run lacks are ignored.
    held_out: list[str] = field(default_factory=list)
    #: Data set -> its source, of those that share one; they count as one in "practical".
    sources: dict[str, str] = field(default_factory=dict)


@dataclass
class GeneratorCase:
    """One generator: its label, and the way that its samples are drawn and scaled."""

    label: str = ""
    dataset: str = ""
    scaling: str = "none"
    #: Arguments of the generator, without the number of samples, which protocol.pool and
    #: protocol.test_samples set.
    params: dict[str, Any] = field(default_factory=dict)
    #: Parameters of ManiFeSt, alone and in its sum with ReliefF, that replace their grids;
    #: parameters on the command line have precedence.
    manifest: dict[str, Any] = field(default_factory=dict)


@dataclass
class FewSampleRecoveryProtocol(ProtocolConfig):
    """Generators, numbers of samples, and the SVM that tunes and tests."""

    kind: str = "few_sample_recovery"
    #: The generators, by name.
    cases: dict[str, GeneratorCase] = field(default_factory=dict)
    #: Numbers of samples for ranking and training.
    n_train: list[int] = field(default_factory=list)
    #: Number of samples of a draw for ranking and training; smaller numbers are part of it.
    pool: int = 200
    #: Number of further samples of a draw, for testing the SVM.
    test_samples: int = 500
    #: Number of folds of the ranking samples; candidates rank again in each, to be compared.
    inner_folds: int = 3
    log2_C: list[float] = field(default_factory=list)
    log2_gamma: list[float] = field(default_factory=list)


@dataclass
class SelectProtocol(ProtocolConfig):
    """The folds and grids of the procedure."""

    kind: str = "select"
    #: Numbers of folds; fewer are used if a class is small.
    outer_folds: int = 5
    inner_folds: int = 4
    #: How often all samples are divided into outer folds; shuffles are compared with the first.
    loops: int = 2
    #: How often the whole procedure runs on shuffled labels.
    n_shuffles: int = 39
    #: Numbers of features to try; `n_features` replaces them by a single one.
    sizes: list[int] = field(default_factory=list)
    n_features: int | None = None
    log2_C: list[float] = field(default_factory=list)
    #: Methods rank at most this many features, the best by ANOVA and ReliefF.
    first: int = 100
    #: Most training samples that choose features, method and C; the SVM learns from all.
    choosing_samples: int = 500
    #: Read the table, write read.json and read.parquet, and stop.
    read_only: bool = False


@dataclass
class ImagesProtocol(ProtocolConfig):
    """Pairs of classes of square images, and regions to measure the score in."""

    kind: str = "images"
    #: Class labels, [class 1, class 2] each.
    pairs: list[list[int]] = field(default_factory=list)
    #: Number of random images of each class; each repetition is a draw, and the first is shown.
    n_per_class: int = 1500
    #: Name -> rectangles [first row, last row, first column, last column], counted from 0.
    regions: dict[str, list[list[int]]] = field(default_factory=dict)
    #: The pairs for which these regions were chosen; all pairs if null.
    region_pairs: list[list[int]] | None = None


@dataclass
class ConeProtocol(ProtocolConfig):
    """The drawing has no options."""

    kind: str = "cone"


@dataclass
class AblationPart:
    """An experiment, its changed settings, and the difference that would matter."""

    label: str = ""
    #: The name of the samples that it shares with other parts.
    source: str = ""
    experiment: str = ""
    overrides: list[str] = field(default_factory=list)
    #: Parameters of all methods that have them.
    parameters: dict[str, Any] = field(default_factory=dict)
    #: A parameter and its values: a part for each of them, and one for the best.
    scales: dict[str, list[Any]] = field(default_factory=dict)
    #: The score, and the changes of it that are compared with it.
    methods: list[str] = field(default_factory=list)
    n_repetitions: int = 50
    #: The unit of a result, its factor, and the largest result.
    unit: str = ""
    factor: float = 1.0
    most: float = 100.0
    margin: float = 1.0


@dataclass
class AblationProtocol(ProtocolConfig):
    """The parts, and the questions that the changes answer."""

    kind: str = "ablation"
    parts: dict[str, AblationPart] = field(default_factory=dict)
    #: Question -> the methods that are the score with one change.
    questions: dict[str, list[str]] = field(default_factory=dict)
    #: Part -> its config. A run composes it, and a stored run starts from it.
    composed: dict[str, Any] = field(default_factory=dict)


#: The schemas of all kinds; `kind` is the name.
SCHEMAS: tuple[type[ProtocolConfig], ...] = (
    AblationProtocol,
    AccuracyProtocol,
    ArenaProtocol,
    ConeProtocol,
    FewSampleRecoveryProtocol,
    ImagesProtocol,
    RecoveryProtocol,
    SelectProtocol,
)
