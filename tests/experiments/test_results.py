"""The committed results: computed by the code and the config of this revision, or listed as due."""

import json
from pathlib import Path

import pytest
import yaml

from experiments.provenance import differences, outdated, overrides_of

RESULTS = Path(__file__).resolve().parents[2] / "results"
COMPUTED = sorted(path.parent.name for path in RESULTS.glob("*/provenance.json"))
DUE = yaml.safe_load((RESULTS / "due.yaml").read_text(encoding="utf-8")) or {}


def record_of(name):
    return json.loads((RESULTS / name / "provenance.json").read_text(encoding="utf-8"))


def config_of(record, compose):
    """The config that this revision has for the run of a record."""
    return compose(*overrides_of(record))


@pytest.mark.parametrize("name", COMPUTED)
def test_a_result_is_what_this_revision_computes_or_is_listed_as_due(name, compose):
    record = record_of(name)
    reasons = outdated(record, config_of(record, compose))
    if name in DUE:
        assert reasons or record["profile"] != "paper", f"{name} is up to date: strike it from due"
    else:
        assert not reasons, f"compute results/{name} again or list it in results/due.yaml"
        assert record["profile"] == "paper", f"list results/{name} as due: it is not in full"


@pytest.mark.parametrize("name", COMPUTED)
def test_a_result_says_what_its_config_has_otherwise_than_the_paper(name, compose):
    told = (RESULTS / name / "differences.txt").read_text(encoding="utf-8").splitlines()
    assert told == differences(config_of(record_of(name), compose))


def test_what_is_due_has_a_reason_and_a_folder():
    assert set(DUE) <= set(COMPUTED)
    assert all(isinstance(reason, str) and reason.endswith(".") for reason in DUE.values())


@pytest.mark.parametrize("name", [name for name in COMPUTED if name not in DUE])
def test_a_result_names_a_revision_of_this_repository_without_changes(name):
    revision = record_of(name)["git"]
    assert revision
    assert "changes" not in revision


def test_other_code_and_another_config_are_noticed(compose):
    from experiments.config import plain
    from experiments.engine.code import source_digest
    from experiments.provenance import without_folders

    config = compose("experiment=toy", "profile=paper")
    modules = ["experiments.evaluation.ranking"]
    code = {"sources": source_digest(tuple(modules)), "modules": modules}
    record = {"code": code, "config": without_folders(plain(config))}
    assert outdated(record, config) == []
    assert outdated(record, compose("experiment=toy", "profile=paper", "workers=1")) == []
    (changed,) = outdated(record, compose("experiment=toy", "profile=paper", "seed=1"))
    assert "seed" in changed
    # An option that the result does not know is a change where it does something.
    newer = compose("experiment=toy", "profile=paper", "+later={option:null,others:{}}")
    assert outdated(record, newer) == outdated(record, config) == []
    newer = compose("experiment=toy", "profile=paper", "+later={option:0}")
    assert outdated(record, newer) == ["later of its config has changed"]
    (other,) = outdated({**record, "code": {**code, "sources": "0" * 16}}, config)
    assert "code" in other
    (gone,) = outdated({**record, "code": {**code, "modules": ["baselines.filters.none"]}}, config)
    assert "code" in gone
