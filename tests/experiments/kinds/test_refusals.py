"""What makes no sense is refused before a run, or where it is met."""

import pytest

from experiments.config import ConfigError
from experiments.kinds import validate
from tests.experiments.conftest import SMALL, composed
from tests.experiments.kinds.conftest import DIGITS
from tests.experiments.kinds.test_few_samples import SMOKE as FEW
from tests.experiments.kinds.test_recovery_kind import CUBE

COLON, ARENA, CONE = ["experiment=colon"], ["experiment=arena"], ["experiment=operators"]
IMAGES = ["experiment=mnist", "protocol=images", "profile=smoke"]


@pytest.mark.parametrize(("base", "override", "says"), [
    (COLON, "+protocol.fewer_splits.nestd=2", r"protocol\.fewer_splits.*nestd.*nested"),
    (COLON, "+protocol.fewer_splits.paper=0", "at least 1, got 0"),
    (COLON, "protocol.test_size=null", r"test_size must lie in \(0, 1\), got None"),
    (ARENA, "dataset=wine", "several data sets"),
    (ARENA, "protocol.datasets=[wine,wine]", "each once"),
    (ARENA, "protocol.held_out=[colom]", "did you mean .colon."),
    (ARENA, "protocol.n_train=[50,20]", "increasing"),
    (ARENA, "protocol.n_train=[3]", "two a fold"),
    (ARENA, "protocol.tuning=[paper]", "protocol.tuning must stay"),
    (CONE, "dataset=wine", "dataset=wine would have no effect .* give dataset=null"),
    (IMAGES, "protocol.pairs=[[4,4]]", "different class labels"),
    (IMAGES, "protocol.n_per_class=11", "n_per_class must be at least 12"),
    (IMAGES, "protocol.region_pairs=[[3,8]]", "not among protocol.pairs"),
    (IMAGES, "dataset.scaling=standard", "scaling"),
    (FEW, "protocol.pool=20", "pool"),
    (FEW, "protocol.cases.xor100.scaling=some", "scaling"),
    (FEW, "+protocol.cases.xor100.params.n_samples=9", "n_samples"),
    (FEW, "protocol.cases.hypercube.dataset=colon", "colon"),
    (DIGITS, "protocol.n_per_class=1", "n_per_class must be at least 2"),
    (DIGITS, "protocol.test_size=0.1", "test_size must stay None .* the protocol accuracy"),
    (CUBE, "protocol.test_size=null", "protocol.test_size"),
    (CUBE, "protocol.n_selected=0", "protocol.n_selected"),
    (CUBE, "protocol.log2_C=[4,1]", "increasing"),
    (CUBE, "dataset.max_features=5", "max_features=5 would have no effect"),
    (CUBE, "protocol.embedded=[relif]", "did you mean 'reli"),
    (["experiment=ablation"], "method=manifest", "change"),
    (COLON, "method=all_features", "selects nothing"),
    (FEW, "method=[anova,all_features]", "selects nothing"),
    (["experiment=xor100"], "method=[anova,all_features]", "selects nothing"),
])  # fmt: skip
def test_it_is_refused_before_a_run(base, override, says):
    with pytest.raises(ConfigError, match=says):
        validate(composed(*base, override))


def test_what_names_other_methods_stays_valid(compose):
    for experiment in ("colon_nested", "prostate"):  # in their fewer_splits
        validate(compose(f"experiment={experiment}", "method=[gini]"))


WINE = [*ARENA, "profile=smoke", "protocol.datasets=[wine]"]


@pytest.mark.parametrize(("base", "override", "says"), [
    *((base, f"method={name}", "run with method=manifest")  # None of them is ManiFeSt alone.
      for base in (IMAGES, CONE)
      for name in ("anova", "[manifest,gini]", "manifest_relieff")),
    (IMAGES, "protocol.regions.leg=[[0,28,0,3]]", "inside 28 x 28"),
    (IMAGES, "dataset=colon", "no square images"),
    (WINE, "method=anova protocol.sizes=[15]", "compares methods"),
    (WINE, "protocol.sizes=[15]", "wine: 13 features"),
    (DIGITS, "method=manifest_max protocol.n_per_class=174", "class 8 of digits has 174"),
    (CUBE[:2], "method=anova dataset=colon", "counts relevant features, which are known of"),
])  # fmt: skip
def test_it_is_refused_in_a_run(base, override, says, result, mirror):
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
