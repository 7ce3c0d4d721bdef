"""The contract of every experiment, method and figure of the repository, in one test for all."""

import json

import matplotlib.image
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from experiments.config import PROFILES, TOPICS, plain
from experiments.datasets.registry import REGISTRY
from experiments.evaluation.methods import resolve
from experiments.kinds import validate
from experiments.report import figures
from experiments.report.differences import AS_PUBLISHED, differences
from tests.commands import python
from tests.experiments.conftest import CONFIGS, composed

EXPERIMENTS = sorted(path.stem for path in (CONFIGS / "experiment").glob("*.yaml"))
METHODS = sorted(path.stem for path in (CONFIGS / "method").glob("*.yaml"))
#: Experiments whose committed tables have the columns of today.
CURRENT = ("xor100", "toy", "hypercube", "operators", "mnist", "fashion_mnist", "propositions")
#: Parts of a config that a profile may change.
MAY_CHANGE = ("protocol", "dataset", "parameters")


@pytest.fixture(scope="module", params=EXPERIMENTS)
def configs(request):
    """The config of an experiment in each profile."""
    name = request.param
    found = {profile: composed(f"experiment={name}", f"profile={profile}") for profile in PROFILES}
    assert {config.name for config in found.values()} == {name}
    return found


def test_every_experiment_composes_and_is_valid(configs):
    for profile, config in configs.items():
        validate(config)
        assert config.profile.name == profile
        assert config.title
        assert config.topic in TOPICS
        figures.check(plain(config)["figure"])
        methods = resolve(config)
        assert len({method.name for method in methods}) == len(methods) > 0


def test_profiles_grow(configs):
    """The paper's numbers are never fewer than those of a quick look, and more somewhere."""
    smoke, fast, paper = (
        {key: value for name in MAY_CHANGE for key, value in plain(config[name]).items()}
        for config in configs.values()
    )
    assert smoke["n_repetitions"] <= fast["n_repetitions"] <= paper["n_repetitions"]
    assert smoke != paper


def test_the_largest_subset_is_all_features_if_they_have_a_row(compose):
    for name in ("madelon", "colon_scales", "prostate", "gisette", "gisette_rebuilt"):
        for profile in PROFILES:
            config = compose(f"experiment={name}", f"profile={profile}")
            data, known = config.dataset, REGISTRY.get(config.dataset.name)
            d = known.shape[1] if known else data.params.n_features
            assert min(data.max_features or d, d) in config.protocol.sizes, (name, profile)


def test_every_experiment_says_what_the_paper_has(configs):
    """The keys exist in each profile, and no profile has more differences than a smaller one."""
    assert configs["paper"].published
    found = [differences(config) for config in configs.values()]
    for lines in found:
        assert lines
        assert lines == [AS_PUBLISHED] or all(": here " in line for line in lines)
    keys = [{line.partition(": here")[0] for line in lines} for lines in found]
    assert keys[2] - {AS_PUBLISHED} <= keys[1] | keys[0]


def test_every_method_file_is_one_method_of_that_name(compose):
    for path in (CONFIGS / "method").glob("*.yaml"):
        text = path.read_text("utf-8")
        assert list(yaml.safe_load(text)["scorers"]) == [path.stem]
        assert "defaults" not in text
    methods = resolve(compose("experiment=xor100", f"method=[{','.join(METHODS)}]"))
    assert [method.name for method in methods] == METHODS
    assert all(method.candidates() for method in methods)


@pytest.mark.slow
def test_every_experiment_runs_as_one_sweep(tmp_path, mirror):
    """In the profile smoke each writes all of a result; an own table has its own tests."""
    folders = [f"data.home={mirror}", f"store={tmp_path / 'store'}", f"hydra.sweep.dir={tmp_path}"]
    sweep = ["-m", "experiment=glob(*, exclude=select)", "profile=smoke", "workers=1"]
    done = python("run.py", *sweep, *folders)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    found = {}
    for path in tmp_path.rglob("provenance.json"):
        record = json.loads(path.read_text())
        found[record["experiment"]] = (path.parent, record)
    assert sorted([*found, "select"]) == EXPERIMENTS
    for folder, record in found.values():
        check_result(folder, record)
    for name in CURRENT:
        check_columns(found[name][0], CONFIGS.parent / "results" / name)


def check_columns(folder, committed):
    """A committed result has the columns of what is written now."""
    tables = {path.name for path in folder.glob("*.csv")}
    assert tables == {path.name for path in committed.glob("*.csv")}, committed.name
    stored = [path.name for path in committed.glob("*.parquet")]
    for name in (*tables, *stored):
        now, then = (columns(place / name) for place in (folder, committed))
        assert now == then, (committed.name, name)


def columns(path):
    """The columns of a table."""
    is_rows = path.suffix == ".parquet"
    return pq.read_schema(path).names if is_rows else list(pd.read_csv(path, nrows=0))


def check_result(folder, record):
    """Rows, tables, provenance, figures and report of one smoke run."""
    summary = pd.read_csv(folder / "summary.csv")
    rows = pd.read_parquet(folder / "rows.parquet")
    assert len(rows) >= len(summary) > 0
    assert record["experiment"] == record["config"]["name"]
    assert record["profile"] == "smoke"
    assert record["tasks"]["computed"] + record["tasks"]["reused"] > 0
    assert record["tasks"]["failed"] == []
    assert {"git", "packages", "blas", "machine", "seed", "data", "seconds"} <= set(record)
    pictures = sorted(folder.glob("*.png"))
    assert pictures
    for picture in pictures:
        assert matplotlib.image.imread(picture)[..., :3].std() > 0.01
        assert picture.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    report = (folder / "report.html").read_text("utf-8")
    assert report.count("<figure") == len(pictures)
    assert not [path for path in folder.iterdir() if path.name.startswith(".tmp")]
