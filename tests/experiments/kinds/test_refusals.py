"""What makes no sense is refused before a run, or where it is met."""

import pytest

from experiments.config import ConfigError
from experiments.kinds import validate
from tests.experiments.conftest import SMALL, composed
from tests.experiments.kinds.conftest import DIGITS
from tests.experiments.kinds.test_few_samples import SMOKE as FEW
from tests.experiments.kinds.test_recovery_kind import CUBE

IMAGES = ("experiment=mnist", "protocol=images", "profile=smoke")
#: Overrides of a config -> an override more, and what is said of it before anything is loaded.
BEFORE: dict[tuple[str, ...], dict[str, str]] = {
    ("experiment=colon",): {
        "+protocol.fewer_splits.nestd=2": r"protocol\.fewer_splits.*nestd.*nested",
        "+protocol.fewer_splits.paper=0": "at least 1, got 0",
        "protocol.test_size=null": r"test_size must lie in \(0, 1\), got None",
    },
    ("experiment=arena",): {
        "dataset=wine": "several data sets",
        "protocol.datasets=[wine,wine]": "each once",
        "protocol.held_out=[colom]": "did you mean .colon.",
        "protocol.n_train=[50,20]": "increasing",
        "protocol.n_train=[3]": "two a fold",
        "protocol.tuning=[paper]": "protocol.tuning must stay",
    },
    ("experiment=operators",): {
        "protocol.matrices.K1=[[1,2],[2,1]]": "symmetric positive definite",
        "protocol.matrices.K1=[[2,0],[0,1]]": "equal determinants",
        "protocol.matrices.K1=[[1,0]]": "two rows of two numbers",
        "dataset=wine": "dataset=wine would have no effect .* give dataset=null",
    },
    IMAGES: {
        "protocol.pairs=[[4,4]]": "different class labels",
        "protocol.n_per_class=11": "n_per_class must be at least 12",
        "protocol.region_pairs=[[3,8]]": "not among protocol.pairs",
        "dataset.scaling=standard": "scaling",
    },
    PROPOSITIONS: {
        "+protocol.datasets.colon.scale=none": "did you mean 'scaling'",
        "protocol.datasets.colon.scaling=max": "scaling 'max'",
    },
    tuple(FEW): {
        "protocol.pool=20": "pool",
        "protocol.cases.xor100.scaling=some": "scaling",
        "+protocol.cases.xor100.params.n_samples=9": "n_samples",
        "protocol.cases.hypercube.dataset=colon": "colon",
    },
    tuple(DIGITS): {
        "protocol.n_per_class=1": "n_per_class must be at least 2",
        "protocol.test_size=0.1": "test_size must stay None .* the protocol accuracy",
    },
    tuple(CUBE): {
        "protocol.test_size=null": "protocol.test_size",
        "protocol.n_selected=0": "protocol.n_selected",
        "protocol.log2_C=[4,1]": "increasing",
        "dataset.max_features=5": "max_features=5 would have no effect",
        "protocol.embedded=[relif]": "did you mean 'reli",
    },
}


@pytest.mark.parametrize("base", BEFORE, ids=lambda base: base[0])
def test_it_is_refused_before_a_run(base):
    for override, says in BEFORE[base].items():
        with pytest.raises(ConfigError, match=says):
            validate(composed(*base, override))


def test_what_names_other_methods_stays_valid(compose):
    for experiment in ("colon_nested", "prostate"):  # in their fewer_splits
        validate(compose(f"experiment={experiment}", "method=[gini]"))


#: The same of what is found once a run has begun. None of these methods is ManiFeSt alone.
OTHERS = {f"method={m}": "run with method=manifest" for m in ("anova", "[manifest,gini]")}
OTHERS["method=manifest_relieff"] = "run with method=manifest"
IN_A_RUN: dict[tuple[str, ...], dict[str, str]] = {
    IMAGES: {
        **OTHERS,
        "protocol.regions.leg=[[0,28,0,3]]": "inside 28 x 28",
        "dataset=colon": "no square images",
    },
    ("experiment=operators", "profile=smoke"): OTHERS,
    PROPOSITIONS: {
        **OTHERS,
        "method.geometry=spsd": "geometry=regularized",
        "protocol.datasets.mnist.classes=[4]": "two labels",
    },
    ("experiment=arena", "profile=smoke", "protocol.datasets=[wine]", "protocol.reported=[15]"): {
        "method=anova protocol.sizes=[15]": "compares methods",
        "protocol.sizes=[15]": "wine: 13 features",
    },
    (*DIGITS, "method=manifest_max"): {"protocol.n_per_class=174": "class 8 of digits has 174"},
    (*CUBE[:2], "method=anova"): {"dataset=colon": "counts relevant features, which are known of"},
}


@pytest.mark.parametrize("base", IN_A_RUN, ids=lambda base: base[0])
def test_it_is_refused_in_a_run(base, result, mirror):
    for override, says in IN_A_RUN[base].items():
        with pytest.raises(ConfigError, match=says):
            result(*base, f"data.home={mirror}", *override.split())


def test_an_own_table_of_three_classes_is_refused_what_needs_two(result, three_classes):
    for override, says in {
        "method=manifest": "two classes only",
        "protocol.inner_folds=13": "inner_folds=13",
        "protocol.sizes=[13]": r"sizes=\[13\]",
    }.items():
        with pytest.raises(ConfigError, match=says):
            result(*SMALL, three_classes, override)
