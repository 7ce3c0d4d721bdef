"""Colours and markers of methods: from the run, from configs/method, or spare ones."""

import json

import pytest
from matplotlib.colors import to_hex

from experiments.config import ConfigError
from experiments.report.figures import style


def test_methods_keep_their_colours_and_are_told_apart_in_grey(tmp_path):
    methods = [path.stem for path in sorted(style.METHODS.glob("*.yaml"))]
    found = style.marks(tmp_path, methods)
    assert list(found) == methods
    for key in ("color", "marker"):
        assert len({mark[key] for mark in found.values()}) == len(methods)
    assert style.marks(tmp_path, ["manifest"])["manifest"] == found["manifest"]


def test_a_colour_of_the_run_comes_before_that_of_the_file_and_a_spare_one_is_last(tmp_path):
    scorers = {"relieff": {"color": "red"}, "brought": {"color": "C0", "marker": "x"}, "new": {}}
    record = {"config": {"method": {"scorers": scorers}}}
    (tmp_path / "provenance.json").write_text(json.dumps(record))
    found = style.marks(tmp_path, ["relieff", "brought", "new", "newer", "manifest"])
    of_file = style.marks(tmp_path / "none", ["relieff", "manifest"])
    assert found["relieff"] == {"color": "red", "marker": of_file["relieff"]["marker"]}
    assert found["brought"] == {"color": "C0", "marker": "x"}
    assert found["manifest"] == of_file["manifest"]
    assert len({to_hex(mark["color"]) for mark in found.values()}) == len(found)


def test_a_colour_or_marker_that_nobody_knows_is_named_with_its_method(tmp_path):
    for key, value in (("color", "reddish"), ("marker", "star")):
        record = {"config": {"method": {"scorers": {"mine": {key: value}}}}}
        (tmp_path / "provenance.json").write_text(json.dumps(record))
        with pytest.raises(ConfigError, match=rf"^method mine: {key} must .*, got '{value}'$"):
            style.marks(tmp_path, ["mine"])
