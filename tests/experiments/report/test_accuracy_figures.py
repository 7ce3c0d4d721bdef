"""Figures of accuracies draw what the tables say."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from experiments.config import ConfigError
from experiments.report import figures

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
    "both": {"name": "curves", "measures": BOTH, "sums_apart": True},
    "shares": {"name": "curves", "by_method": True},
    "gap": {"name": "curves", "by_method": True, "measures": BOTH},
    "front": {"name": "curves", "front": ["manifest", "relieff"]},
    "orders": {"name": "curves", "front": ["anova"], "others": "other orders"},
    "samples": {
        **{"name": "points", "table": "summary", "x": "ranking_samples", "y": "accuracy"},
        **{"bars": "std", "xlabel": "Samples"},
    },
}


@pytest.fixture
def tables():
    """curves.csv and summary.csv of made-up accuracies under both readings."""
    rng = np.random.default_rng(0)
    curves, summary = [], []
    for reading in ("paper", "nested"):
        for method, label in METHODS.items():
            for share, samples in SHARES.items():
                head: dict[str, Any] = {"method": method, "label": label, "reading": reading}
                head |= {"ranking_share": share, "ranking_samples": samples}
                head["combination"] = method == "manifest_relieff"
                for size in SIZES:
                    means = {"validation_mean": rng.uniform(0.8, 0.9), "validation_std": 0.02}
                    means |= {
                        "test_mean": rng.uniform(0.6, 0.8),
                        "test_std": rng.uniform(0.01, 0.05),
                    }
                    curves.append({**head, "n_features": size, **means})
                accuracy, std = rng.uniform(0.7, 0.8), rng.uniform(0.01, 0.05)
                ends = {"ci_low": accuracy - 0.1, "ci_high": accuracy + 0.1, "n_features": 20}
                summary.append({**head, "accuracy": accuracy, "std": std, **ends})
        # Its share and samples are those of the last head, the largest.
        everything = {**head, "method": "all_features", "label": "All features"}
        everything["combination"] = False
        accuracy = 0.55 if reading == "paper" else 0.58
        summary.append({**everything, "accuracy": accuracy, "std": 0.01, "n_features": 100})
    return {"curves": pd.DataFrame(curves), "summary": pd.DataFrame(summary)}


@pytest.fixture
def drawn(tables, tmp_path):
    """A function from a figure to Matplotlib's figures of the tables as they are by then."""

    def draw(figure):
        for stem, table in tables.items():
            table.to_csv(tmp_path / f"{stem}.csv", index=False)
        return dict(figures.drawn(figure, tmp_path))

    return draw


def part(table, **where):
    """The rows that have these values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def has_curve(axis, x, y, *, linestyle=None):
    """True if one of an axis' lines goes through these points, in percent."""
    return any(
        np.array_equal(line.get_xdata(), x)
        and np.allclose(line.get_ydata(), 100 * np.asarray(y))
        and (linestyle is None or line.get_linestyle() == linestyle)
        for line in axis.get_lines()
    )


def words(figure):
    """All that stands in the legends of a figure."""
    legends = [*figure.legends, *(a.get_legend() for a in figure.axes if a.get_legend())]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def heights(collection):
    """Lowest and highest point of a shaded area at each x, in percent."""
    points = collection.get_paths()[0].vertices
    return {
        x: (column.min(), column.max()) for x in SIZES for column in [points[points[:, 0] == x, 1]]
    }


def test_each_reading_has_its_figure_and_lone_tables_suffice(tables, drawn):
    for name, figure in FIGURES.items():
        assert figures.check(figure)[0] == figure["name"]
        assert set(drawn(figure)) == {"figure_paper", "figure_nested"}, name
    for stem in tables:
        tables[stem] = part(tables[stem], reading="paper")
    for name, figure in FIGURES.items():
        assert set(drawn(figure)) == {"figure_paper"}, name


def test_what_is_not_ranked_is_no_curve_and_what_failed_is_left_out(tables, drawn):
    failed = {**dict(tables["summary"].iloc[0]), "method": "broken", "label": "Broken"}
    failed |= dict.fromkeys(("accuracy", "std", "ci_low", "ci_high", "n_features"))
    tables["summary"] = pd.concat([tables["summary"], pd.DataFrame([failed])])
    everything = part(tables["curves"], method="anova").assign(
        method="all_features", label="All features", test_mean=0.123, validation_mean=0.123
    )
    tables["curves"] = pd.concat([tables["curves"], everything])
    for name, choice in FIGURES.items():
        for figure in drawn(choice).values():
            assert not {"All features", "Broken"} & {
                *words(figure),
                *(a.get_title() for a in figure.axes),
            }, name
            for axis in figure.axes:
                assert not has_curve(axis, SIZES, [0.123] * len(SIZES)), name


def test_modules_beside_figures_are_none():
    assert {"style", "_forms"}.isdisjoint(figures.names())


def test_an_unknown_figure_or_option_is_refused_with_the_valid_ones():
    for figure, said in (
        ("pie", "no figure 'pie'.*curves"),
        ({"measures": ["test"]}, "no figure ''.*curves"),
        ({"name": "curves", "measure": "test"}, "of the figure curves, 'measure'; .* 'measures'"),
        ({"name": "arena", "front": []}, "no option of the figure arena, 'front'"),
    ):
        with pytest.raises(ConfigError, match=said):
            figures.check(figure)


def test_other_forms_have_a_figure_of_their_own_beside_the_first_form(tables, drawn):
    # "orders" has one method, and names the first order alone.
    choices = [figure for name, figure in FIGURES.items() if name != "orders"]
    before = [[axis.get_title() for axis in drawn(c)["figure_paper"].axes] for c in choices]
    for stem, table in tables.items():
        other = part(table, method="relieff").assign(method="relieff_scaled", label="Scaled")
        tables[stem] = pd.concat([table, other])
    for choice, titles in zip(choices, before, strict=True):
        pictures = drawn(choice)
        assert set(pictures) == {"figure_paper", "figure_nested", "figure_forms"}, choice
        assert [axis.get_title() for axis in pictures["figure_paper"].axes] == titles, choice
        for stem, figure in pictures.items():
            said = " ".join([*words(figure), *(axis.get_title() for axis in figure.axes)])
            assert ("Scaled" in said) == (stem == "figure_forms"), choice
            assert ("ANOVA" in said) != (stem == "figure_forms"), choice
            assert "ReliefF" in said, choice


def test_nothing_that_is_shaded_or_a_bar_leaves_what_accuracies_can_be(tables, drawn):
    for column in ("test_std", "validation_std"):
        tables["curves"][column] = 0.9
    tables["summary"]["std"] = 0.9
    for name, choice in FIGURES.items():
        for axis in drawn(choice)["figure_paper"].axes:
            for collection in axis.collections:
                for path in collection.get_paths():
                    assert path.vertices[:, 1].min() >= -1e-9, name
                    assert path.vertices[:, 1].max() <= 100 + 1e-9, name


def test_methods_that_would_cover_one_another_share_a_line(tables, drawn):
    for stem, table in tables.items():
        same = part(table, method="anova").assign(method="pearson", label="Pearson")
        near = part(table, method="anova").assign(method="ttest", label="t-test")
        for column in near.columns.intersection(["test_mean", "validation_mean", "accuracy"]):
            near[column] += 0.01
        tables[stem] = pd.concat([table, same, near])
    for name in ("both", "front", "samples"):
        said = words(drawn(FIGURES[name])["figure_paper"])
        assert {"ANOVA = Pearson", "t-test"} <= set(said), name
        assert not {"ANOVA", "Pearson"} & set(said), name


def test_panels_hold_one_curve_a_share_with_its_deviation(tables, drawn):
    figure = drawn(FIGURES["shares"])["figure_nested"]
    panels = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in panels] == list(METHODS.values())
    assert len({axis.get_xlim() + axis.get_ylim() for axis in panels}) == 1
    for axis, method in zip(panels, METHODS, strict=True):
        assert len(axis.get_lines()) == len(axis.collections) == len(SHARES)
        for line, area in zip(axis.get_lines(), axis.collections, strict=True):
            samples = int(line.get_label().split()[2])
            curve = part(tables["curves"], reading="nested", method=method, ranking_samples=samples)
            np.testing.assert_allclose(line.get_ydata(), 100 * curve["test_mean"])
            for (low, high), mean, std in zip(
                heights(area).values(), curve["test_mean"], curve["test_std"], strict=True
            ):
                np.testing.assert_allclose([low, high], [100 * (mean - std), 100 * (mean + std)])
    *shares, deviation = words(figure)
    assert [word.split()[2] for word in shares] == ["400", "20", "120"]
    assert deviation == "± one standard deviation over the splits"


def test_shares_are_told_apart_by_colour_and_in_grey(drawn):
    lines = drawn(FIGURES["shares"])["figure_paper"].axes[0].get_lines()
    assert len({to_hex(line.get_color()) for line in lines}) == len(SHARES)
    assert len({str(line._dash_pattern) for line in lines}) == len(SHARES)


def test_sample_sizes_hold_the_accuracies_of_the_summary(tables, drawn):
    axis = drawn(FIGURES["samples"])["figure_paper"].axes[0]
    # The largest number is more than ten times the least: they stand at equal distances.
    assert [text.get_text() for text in axis.get_xticklabels()] == ["20", "120", "400"]
    found = {container.get_label(): container for container in axis.containers}
    assert list(found) == list(METHODS.values())
    for method, label in METHODS.items():
        points = part(tables["summary"], reading="paper", method=method)
        line, _, (bars,) = found[label].lines
        np.testing.assert_allclose(np.array(line.get_ydata(), float), 100 * points["accuracy"])
        np.testing.assert_allclose(np.array(line.get_xdata(), float), [0, 1, 2], atol=0.2)
        lengths = [np.ptp(segment[:, 1]) for segment in bars.get_segments()]
        np.testing.assert_allclose(lengths, 200 * points["std"])


def test_the_gap_is_shaded_between_validation_and_test(tables, drawn):
    panels = drawn(FIGURES["gap"])["figure_paper"].axes
    panels = [axis for axis in panels if axis.get_visible()]
    assert len({axis.get_ylim() for axis in panels}) == 1
    for axis, (method, label) in zip(panels, METHODS.items(), strict=True):
        curve = part(tables["curves"], reading="paper", method=method, ranking_share=1.0)
        assert has_curve(axis, SIZES, curve["validation_mean"], linestyle="-")
        assert has_curve(axis, SIZES, curve["test_mean"], linestyle="--")
        (area,) = axis.collections
        np.testing.assert_allclose(
            list(heights(area).values()), 100 * curve[["test_mean", "validation_mean"]]
        )
        gap = 100 * (curve["validation_mean"] - curve["test_mean"]).mean()
        assert axis.get_title() == f"{label} (mean gap {gap:.1f})"
    colours = [to_hex(axis.collections[0].get_facecolor()[0]) for axis in panels]
    # Three in a row; a further row has the same scales.
    assert len(set(colours)) == 3
    assert colours[3:] == colours[: len(METHODS) - 3]


def test_orders_are_lines_behind_that_of_the_file(tables, drawn):
    for reading in ("paper", "nested"):
        (axis,) = drawn(FIGURES["orders"])[f"figure_{reading}"].axes
        for method in METHODS:
            curve = part(tables["curves"], reading=reading, method=method, ranking_share=1.0)
            assert has_curve(axis, SIZES, curve["test_mean"])
        first, *others = (
            part(tables["summary"], reading=reading, method=method, ranking_share=1.0)["accuracy"]
            for method in METHODS
        )
        low, high = (100 * end(one.iloc[0] for one in others) for end in (min, max))
        of_others = f"in 4 other orders {low:.1f} to {high:.1f} %"
        assert axis.get_title() == f"Best accuracy: {100 * first.iloc[0]:.1f} %, {of_others}"
        front = max(axis.get_lines(), key=lambda line: line.get_zorder())
        assert front.get_label() == next(iter(METHODS.values()))


def test_all_features_are_a_line_across_the_curves(tables, drawn):
    for reading, level in (("paper", 55), ("nested", 58)):
        figure = drawn(FIGURES["front"])[f"figure_{reading}"]
        axis = figure.axes[0]
        for method in METHODS:
            curve = part(tables["curves"], reading=reading, method=method, ranking_share=1.0)
            assert has_curve(axis, SIZES, curve["test_mean"])
        across = [line for line in axis.get_lines() if len(set(line.get_ydata())) == 1]
        assert [line.get_ydata()[0] for line in across] == pytest.approx([level])
        across_all = ["ManiFeSt", "ReliefF", "ANOVA", "ManiFeSt + ReliefF", "A new one"]
        shaded = "ManiFeSt: ± one standard deviation over the splits"
        assert words(figure) == [*across_all, "all 100 features", shaded]
    tables["summary"] = tables["summary"][tables["summary"]["method"] != "all_features"]
    assert words(drawn(FIGURES["front"])["figure_paper"]) == [*across_all, shaded]


def test_accuracy_curves_are_those_of_all_rows(tables, drawn):
    figure = drawn(FIGURES["both"])["figure_nested"]
    single = dict(zip(("validation_mean", "test_mean"), figure.axes[::2], strict=True))
    every = dict(zip(("validation_mean", "test_mean"), figure.axes[1::2], strict=True))
    for method in METHODS:
        curve = part(tables["curves"], reading="nested", method=method, ranking_share=1.0)
        for column in ("validation_mean", "test_mean"):
            assert has_curve(every[column], SIZES, curve[column])
            alone = has_curve(single[column], SIZES, curve[column])
            assert alone == (method != "manifest_relieff")
    for column, axis in every.items():
        # The SVM on all features is tested alone.
        assert len(axis.get_lines()) == len(METHODS) + (column == "test_mean")
        assert len(axis.collections) == 1
    shaded = [word.split(":")[0] for word in words(figure) if "deviation" in word]
    assert shaded == ["ManiFeSt", "ManiFeSt + ReliefF"]
