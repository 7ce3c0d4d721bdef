"""Figures of accuracies draw what the tables say."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.text import Text

from experiments.config import ConfigError
from experiments.report import figures
from experiments.report.claims.results_folder import rows_at
from experiments.report.names import GREY, STRONG

SIZES = [1, 5, 20, 100]
SHARES = {0.05: 20, 0.3: 120, 1.0: 400}
METHODS = {
    "anova": "ANOVA",
    "relieff": "ReliefF",
    "manifest": "ManiFeSt",
    "manifest_relieff": "ManiFeSt + ReliefF",
    "brought": "A new one",
}


BOTH = ["validation", "test"]
#: Word -> a figure with options, as an experiment names it.
FIGURES: dict[str, dict[str, Any]] = {
    "both": {"name": "curves", "measures": BOTH},
    "shares": {"name": "curves", "by_method": True},
    "gap": {"name": "curves", "by_method": True, "measures": BOTH},
    "front": {"name": "curves", "front": "anova"},
    "samples": {
        **{"name": "curves", "table": "summary", "x": "ranking_samples", "y": "accuracy"},
        "xlabel": "Samples",
    },
}


@pytest.fixture
def tables():
    """curves.csv and summary.csv of made-up accuracies under both ways of tuning."""
    rng = np.random.default_rng(0)
    heads = pd.DataFrame(
        product(("paper", "nested"), METHODS, SHARES),
        columns=["tuning", "method", "ranking_share"],
    )
    heads["label"] = heads["method"].map(METHODS)
    heads["ranking_samples"] = heads["ranking_share"].map(SHARES)
    curves = heads.merge(pd.DataFrame({"n_features": SIZES}), how="cross")
    n = len(curves)
    curves = curves.assign(validation_mean=rng.uniform(0.8, 0.9, n), validation_std=0.02)
    curves = curves.assign(test_mean=rng.uniform(0.6, 0.8, n), test_std=rng.uniform(0.01, 0.05, n))
    accuracy, std = rng.uniform(0.7, 0.8, len(heads)), rng.uniform(0.01, 0.05, len(heads))
    summary = heads.assign(accuracy=accuracy, std=std, n_features=20)
    summary = summary.assign(ci_low=accuracy - 0.1, ci_high=accuracy + 0.1)
    everything = rows_at(heads, method="anova", ranking_share=1.0).assign(
        method="all_features", label="All features", accuracy=[0.55, 0.58], std=0.01, n_features=100
    )
    return {"curves": curves, "summary": pd.concat([summary, everything])}


@pytest.fixture
def drawn(tables, tmp_path):
    """A function from a figure to Matplotlib's figures of the tables as they are by then."""

    def draw(figure):
        for stem, table in tables.items():
            table.to_csv(tmp_path / f"{stem}.csv", index=False)
        return dict(figures.drawn(figure, tmp_path))

    return draw


def has_curve(axis, x, y, *, linestyle=None):
    """True if one of an axis' lines goes through these points, in percent."""
    return any(
        np.array_equal(line.get_xdata(), x)
        and np.allclose(line.get_ydata(), 100 * np.asarray(y))
        and (linestyle is None or line.get_linestyle() == linestyle)
        for line in axis.get_lines()
    )


def words(figure):
    """All that is written in a figure."""
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def heights(collection):
    """Lowest and highest point of a shaded area at each x, in percent."""
    points = collection.get_paths()[0].vertices
    return {
        x: (column.min(), column.max()) for x in SIZES for column in [points[points[:, 0] == x, 1]]
    }


def test_each_reading_has_a_figure_without_variants_and_lone_tables_suffice(tables, drawn):
    """Methods that rank nothing or failed are no curves, and no shade leaves 0 to 100 %."""
    lone = {stem: rows_at(table, tuning="paper") for stem, table in tables.items()}
    failed = {**dict(tables["summary"].iloc[0]), "method": "broken", "label": "Broken"}
    failed |= dict.fromkeys(("accuracy", "std", "ci_low", "ci_high", "n_features"))
    tables["summary"] = pd.concat([tables["summary"], pd.DataFrame([failed])])
    everything = rows_at(tables["curves"], method="anova").assign(
        method="all_features", label="All features", test_mean=0.123, validation_mean=0.123
    )
    tables["curves"] = pd.concat([tables["curves"], everything]).assign(
        test_std=0.9, validation_std=0.9
    )
    for stem, table in tables.items():
        other = rows_at(table, method="relieff").assign(method="relieff_scaled", label="Scaled")
        tables[stem] = pd.concat([table, other])
    for name, choice in FIGURES.items():
        pictures = drawn(choice)
        assert set(pictures) == {"figure_paper", "figure_nested"}, name
        for figure in pictures.values():
            assert not {"All features", "Broken"} & {*words(figure)}, name
            said = " ".join(words(figure))
            assert "Scaled" not in said, name
            assert "ANOVA" in said, name
            for axis in figure.axes:
                assert not has_curve(axis, SIZES, [0.123] * len(SIZES)), name
        shades = [shade for axis in pictures["figure_paper"].axes for shade in axis.collections]
        for path in (path for shade in shades for path in shade.get_paths()):
            assert path.vertices[:, 1].min() >= -1e-9, name
            assert path.vertices[:, 1].max() <= 100 + 1e-9, name
    tables |= lone
    for name, choice in FIGURES.items():
        assert figures.check(choice)[0] == choice["name"]
        assert set(drawn(choice)) == {"figure_paper"}, name


def test_an_unknown_figure_or_option_is_refused_with_the_valid_ones():
    for figure, said in (
        ("style", "no figure 'style'"),
        ("_forms", "no figure '_forms'"),
        ("pie", "no figure 'pie'.*curves"),
        ({"measures": ["test"]}, "no figure ''.*curves"),
        ({"name": "curves", "measure": "test"}, "of the figure curves, 'measure'; .* 'measures'"),
        ({"name": "arena", "front": []}, "no option of the figure arena, 'front'"),
    ):
        with pytest.raises(ConfigError, match=said):
            figures.check(figure)


def test_methods_that_would_cover_one_another_share_a_line(tables, drawn):
    for stem, table in tables.items():
        same = rows_at(table, method="anova").assign(method="pearson", label="Pearson")
        near = rows_at(table, method="anova").assign(method="ttest", label="t-test")
        for column in near.columns.intersection(["test_mean", "validation_mean", "accuracy"]):
            near[column] += 0.01
        tables[stem] = pd.concat([table, same, near])
    for name in ("both", "front"):
        said = words(drawn(FIGURES[name])["figure_paper"])
        assert {"ANOVA = Pearson", "t-test"} <= set(said), name
        assert not {"ANOVA", "Pearson"} & set(said), name


def test_panels_hold_one_curve_a_share_with_its_deviation(tables, drawn):
    """The main methods come first, in their order; more than two others have their own figure."""
    names = {**METHODS, "gini": "Gini index", "ig": "IG"}
    for stem, table in tables.items():
        for lower, name in ((0.03, "gini"), (0.06, "ig")):
            more = rows_at(table, method="brought").assign(method=name, label=names[name])
            for column in more.columns.intersection(["test_mean", "accuracy"]):
                more[column] -= lower
            table = pd.concat([table, more])
        tables[stem] = table
    pictures = drawn(FIGURES["shares"])
    for stem, tuning, shown in (
        ("figure_nested", "nested", ["manifest", "relieff", "anova"]),
        ("figure_others", "paper", ["manifest_relieff", "brought", "gini", "ig"]),
    ):
        panels = [axis for axis in pictures[stem].axes if axis.get_visible()]
        titles = [axis.get_title(loc="left").split("\n") for axis in panels]
        assert [title for title, _ in titles] == [names[name] for name in shown]
        assert len({axis.get_xlim() + axis.get_ylim() for axis in panels}) == 1
        for axis, method, (_, best) in zip(panels, shown, titles, strict=True):
            of_method = {"tuning": tuning, "method": method}
            values = rows_at(tables["summary"], **of_method)["accuracy"]
            assert best == f"best {' → '.join(f'{100 * v:.1f}' for v in values[::-1])} %"
            assert len(axis.get_lines()) == len(axis.collections) == len(SHARES)
            # Shares are told apart by colour, and in grey.
            assert len({to_hex(line.get_color()) for line in axis.get_lines()}) == len(SHARES)
            assert len({str(line._dash_pattern) for line in axis.get_lines()}) == len(SHARES)
            for line, area in zip(axis.get_lines(), axis.collections, strict=True):
                samples = int(line.get_label().split()[2])
                curve = rows_at(tables["curves"], **of_method, ranking_samples=samples)
                np.testing.assert_allclose(line.get_ydata(), 100 * curve["test_mean"])
                ends = [100 * (curve["test_mean"] + s * curve["test_std"]) for s in (-1, 1)]
                np.testing.assert_allclose(list(heights(area).values()), np.transpose(ends))


def test_sample_sizes_hold_the_accuracies_of_the_summary(tables, drawn):
    axis = drawn(FIGURES["samples"])["figure_paper"].axes[0]
    assert [text.get_text() for text in axis.get_xticklabels()] == ["20", "120", "400"]
    bars = [np.ptp(path.vertices[:, 1]) for c in axis.collections for path in c.get_paths()]
    np.testing.assert_allclose(bars, 20)
    (legend,) = axis.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [*METHODS.values()]
    for line, method in zip(axis.get_lines(), METHODS, strict=True):
        points = rows_at(tables["summary"], tuning="paper", method=method)
        np.testing.assert_allclose(line.get_ydata(), 100 * points["accuracy"])
        np.testing.assert_array_equal(line.get_xdata(), [0, 1, 2])


def test_the_mean_gap_between_validation_and_test_is_in_the_title(tables, drawn):
    panels = drawn(FIGURES["gap"])["figure_paper"].axes
    panels = [axis for axis in panels if axis.get_visible()]
    assert len({axis.get_ylim() for axis in panels}) == 1
    for axis, (method, label) in zip(panels, METHODS.items(), strict=True):
        curve = rows_at(tables["curves"], tuning="paper", method=method, ranking_share=1.0)
        assert has_curve(axis, SIZES, curve["validation_mean"], linestyle="-")
        assert has_curve(axis, SIZES, curve["test_mean"], linestyle="--")
        assert not axis.collections
        gap = 100 * (curve["validation_mean"] - curve["test_mean"]).mean()
        assert axis.get_title(loc="left") == f"{label}\n(mean gap {gap:.1f})"


def test_the_best_accuracies_are_rows_from_the_highest_in_the_colours_of_the_lines(tables, drawn):
    everything = tables["summary"]["method"] == "all_features"
    tables["summary"].loc[everything, "accuracy"] = 0.999
    for tuning in ("paper", "nested"):
        *curves, rows = drawn(FIGURES["both"])[f"figure_{tuning}"].axes
        best = rows_at(tables["summary"], tuning=tuning, ranking_share=1.0)
        best = best.assign(label=best["label"].replace("All features", "SVM on all 100 features"))
        best = best.sort_values("accuracy", ascending=False)
        assert [text.get_text() for text in rows.get_yticklabels()] == best["label"].tolist()
        points = [line for line in rows.get_lines() if len(line.get_xdata()) == 1]
        np.testing.assert_allclose([p.get_xdata()[0] for p in points], 100 * best["accuracy"])
        colour_of = dict(zip(best["method"], map(Line2D.get_color, points), strict=True))
        for axis, measure in zip(curves, BOTH, strict=True):
            # The SVM on all features is tested alone.
            assert len(axis.get_lines()) == len(METHODS) + (measure == "test")
            for line, method in zip(axis.get_lines(), METHODS, strict=False):
                curve = rows_at(tables["curves"], tuning=tuning, method=method, ranking_share=1.0)
                assert has_curve(axis, SIZES, curve[f"{measure}_mean"])
                assert line.get_color() == colour_of[method]
                # So few numbers of features have a point each.
                assert line.get_marker() == "o"
        assert rows.get_xlim()[1] <= 101
        assert rows.get_title(loc="left") == "Best, 95 % interval"
        assert colour_of["manifest"] == STRONG


def test_a_method_in_front_has_the_strong_colour_and_an_area_has_all_others(tables, drawn):
    axis = drawn(FIGURES["front"])["figure_paper"].axes[0]
    own, _ = axis.get_lines()
    curves = rows_at(tables["curves"], tuning="paper", ranking_share=1.0)
    assert own.get_color() == STRONG
    assert has_curve(axis, SIZES, rows_at(curves, method="anova")["test_mean"])
    (area,) = axis.collections
    assert to_hex(area.get_facecolor()[0]) == GREY.lower()
    ends = curves[curves["method"] != "anova"].groupby("n_features")["test_mean"]
    found = list(zip(*heights(area).values(), strict=True))
    np.testing.assert_allclose(found, [100 * ends.min(), 100 * ends.max()])
