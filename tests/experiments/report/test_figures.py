"""All figures: the place of words and legends, colours, what is drawn, and drawing again."""

import json
import shutil
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.text import Text

from experiments import config
from experiments.config import ConfigError, entry_of, family_of, published
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report import figures
from experiments.report.claims import PAPER, claims_in
from experiments.report.figures import controls, points, style
from experiments.report.stored import provenance_of, with_results
from scripts import figures as script
from tests.experiments.conftest import CONFIGS

RESULTS = CONFIGS.parent / "results"
#: Pixels by which rounding may move a word; a letter has about ten.
SLACK = 3
#: One of each figure; the others have the same code.
FIRST = ("arena", "colon", "colon_embedded", "hypercube", "madelon", "prostate", "toy", "xor100")


@pytest.fixture
def drawn():
    """A function from a folder to its figures, in the style of all; they are closed at the end."""

    def figures_of(folder):
        name, options = figures.check(provenance_of(folder)["config"]["figure"])
        return figures.pictures(name, options, folder)

    with plt.style.context(style.STYLE):
        yield figures_of
    plt.close("all")


@pytest.mark.parametrize(
    "experiment",
    [
        name if name in FIRST else pytest.param(name, marks=pytest.mark.slow)
        for name in with_results(RESULTS)
        if provenance_of(RESULTS / name)["config"]["figure"]
    ],
)
def test_a_figure_has_a_title_and_all_its_words_inside_and_apart(experiment, drawn):
    found = drawn(RESULTS / experiment)
    for stem, figure in found.items():
        figure.draw_without_rendering()
        title = provenance_of(RESULTS / experiment)["config"]["title"]
        assert figure.get_suptitle().startswith(title[:5]), stem
        legends = [legend.get_window_extent() for legend in figure.legends]
        panels = [axis for axis in figure.axes if axis.get_visible() and axis.axison]
        for box in legends:
            assert inside(box, figure.bbox), stem
            assert all(box.y1 <= axis.get_window_extent().y0 + SLACK for axis in panels), stem
        for text in words(figure):
            box = text.get_window_extent()
            assert inside(box, figure.bbox), (stem, text.get_text())
            assert not any(overlap(box, legend) for legend in legends), (stem, text.get_text())
    assert {*found} == {path.stem for path in (RESULTS / experiment).glob("figure*.png")}


def inside(box, frame):
    return (frame.min - SLACK <= box.min).all() and (box.max <= frame.max + SLACK).all()


def overlap(one, other):
    return (np.minimum(one.max, other.max) - np.maximum(one.min, other.min) > SLACK).all()


def words(figure):
    """All that is written beside ticks and legends, without what Matplotlib turns in space."""
    others = [text for legend in figure.legends for text in legend.findobj(Text)]
    for axes in figure.axes:
        others += axes.findobj(Text) if axes.name == "3d" else []
        for axis in (axes.xaxis, axes.yaxis):
            others += axis.get_ticklabels(which="both")
    shown = [text for text in figure.findobj(Text) if text not in others]
    return [text for text in shown if text.get_visible() and text.get_text().strip()]


def titles(figure):
    return [axis.get_title(loc="left") for axis in figure.axes if axis.get_visible()]


def test_xor_has_a_panel_for_each_filter_of_the_paper_with_its_count(drawn):
    found = drawn(RESULTS / "xor100")
    summary = pd.read_csv(RESULTS / "xor100" / "summary.csv").set_index("label")["correct"]
    paper = published("xor100")["methods"]
    assert len(titles(found["figure"])) == len(paper) == 9
    for title in titles(found["figure"]):
        label, count = title.removesuffix(" of 2)").rsplit(" (", 1)
        assert float(count) == pytest.approx(summary[label], abs=0.005)
    assert len(titles(found["figure_three"])) == 3


def test_a_box_has_the_quartiles_the_median_and_the_mean_of_the_draws(drawn):
    figure = drawn(RESULTS / "hypercube")["figure"]
    (axis,) = figure.axes
    rows = [label.get_text() for label in axis.get_yticklabels()]
    # A verdict rests on the Laplacian score of all pairs.
    names = "manifest", "manifest_unnormalized", "relieff", "laplacian_full"
    _, own_label, *_ = labels = [entry_of(name)["label"] for name in names]
    assert {*labels} <= {*rows}
    draws = pd.read_parquet(RESULTS / "hypercube" / "rows.parquet").query("tuned")
    own = draws.loc[draws["method"] == "manifest_unnormalized", "correct"].astype(float)
    place = rows.index(own_label)
    box = axis.patches[place].get_extents().transformed(axis.transData.inverted())
    assert (box.x0, box.x1) == pytest.approx(own.quantile([0.25, 0.75]).tolist())
    lines = {line.get_marker(): line for line in axis.lines if place + 1 in line.get_ydata()}
    assert float(lines["o"].get_xdata()[0]) == pytest.approx(own.mean())


def test_validation_is_solid_test_is_dashed_and_the_area_between_them_is_the_gap(drawn):
    figure = drawn(RESULTS / "colon")["figure_paper"]
    curves = pd.read_csv(RESULTS / "colon" / "curves.csv")
    own = curves[(curves["method"] == "manifest") & (curves["tuning"] == "paper")]
    label = entry_of("manifest")["label"]
    (place,) = [i for i, title in enumerate(titles(figure)) if title.startswith(f"{label}\n")]
    axis = figure.axes[place]
    validation, test = axis.lines[:2]
    assert validation.get_linestyle() == "-"
    assert test.get_linestyle() == "--"
    assert validation.get_ydata() == pytest.approx(100 * own["validation_mean"].to_numpy())
    assert test.get_ydata() == pytest.approx(100 * own["test_mean"].to_numpy())
    heights = axis.collections[0].get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(100 * own["test_mean"].min())
    assert heights.max() == pytest.approx(100 * own["validation_mean"].max())


def test_only_methods_with_the_same_lines_share_a_panel(drawn):
    shown = titles(drawn(RESULTS / "madelon")["figure_paper"])
    panel_of: dict[str, int] = {}
    for place, title in enumerate(shown):
        panel_of |= dict.fromkeys(title.split("\n")[0].split(", "), place)
    curves = pd.read_csv(RESULTS / "madelon" / "curves.csv")
    lines = curves[curves["label"].isin(panel_of)].groupby("label")["test_mean"].agg(tuple)
    table = pd.DataFrame({"line": lines, "panel": pd.Series(panel_of)})
    assert len(table) == 9
    assert len(table.drop_duplicates()) == table["panel"].nunique() == table["line"].nunique() < 9


def test_the_best_point_of_a_line_is_on_its_interval(drawn):
    axis = drawn(RESULTS / "colon")["figure_paper"].axes[0]
    summary = pd.read_csv(RESULTS / "colon" / "summary.csv")
    best = summary.query("tuning == 'paper' and method == 'manifest'").iloc[0]
    (bar,) = [each for each in axis.collections if isinstance(each, LineCollection)]
    (point,) = [line for line in axis.lines if line.get_marker() == "o"]
    assert bar.get_segments()[0][:, 1] == pytest.approx(100 * best[["ci_low", "ci_high"]])
    assert point.get_xydata()[0] == pytest.approx([best["n_features"], 100 * best["accuracy"]])


def test_the_paper_s_numbers_are_hollow_points_in_the_row_of_their_method(drawn):
    (axis,) = drawn(RESULTS / "colon_embedded")["figure_paper"].axes
    labels = [label.get_text() for label in axis.get_yticklabels()]
    dots = axis.collections[-1]
    hollow = {
        labels[int(y)]: x
        for (x, y), face in zip(dots.get_offsets(), dots.get_facecolors(), strict=True)
        if to_hex(face) == "#ffffff"
    }
    assert hollow["LASSO"] == pytest.approx(81.54)
    assert hollow["LLSPIN"] == pytest.approx(83.85)
    assert len(hollow) == 14


def test_a_figure_of_scales_draws_them_beside_no_control(drawn):
    shown = titles(drawn(RESULTS / "xor100_scales")["figure"])
    assert len(shown) == 6
    assert all(title.startswith("Scale") for title in shown)


@pytest.mark.parametrize("experiment", ["arena", "colon_embedded", "prostate"])
def test_an_axis_of_percent_that_begins_above_zero_says_so(experiment, drawn):
    figure, *_ = drawn(RESULTS / experiment).values()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if "(%)" in axis.get_label_text():
                low = axis.get_view_interval()[0]
                assert axis.get_label_text().endswith(f"from {low:.0f}")
                assert low == round(low)


def test_kinds_of_difference_have_clean_columns_and_a_mark_at_chance(drawn):
    found = drawn(RESULTS / "kinds_of_difference")
    cells, bar = found["figure"].axes
    assert [label.get_text() for label in cells.get_xticklabels()][-1] == "Nothing"
    assert len(cells.get_xticklabels()) == 7
    (mark,) = [line for line in bar.lines if to_hex(line.get_color()) == to_hex(style.STRONG)]
    assert mark.get_ydata()[0] == pytest.approx(10 * 10 / 150)
    lines = found["figure_samples"].axes[0].lines
    looks = [(to_hex(line.get_color()), line.get_linestyle()) for line in lines]
    assert len(looks) == len({*looks})
    assert any("Riemannian)" in str(line.get_label()) for line in lines)


def test_the_arena_has_a_line_where_an_svm_on_all_features_is(drawn):
    figure = drawn(RESULTS / "arena")["figure"]
    summary = pd.read_csv(RESULTS / "arena" / "summary.csv").set_index("method")["accuracy"]
    (line,) = [line for line in figure.axes[1].lines if line.get_linestyle() == ":"]
    assert line.get_xdata()[0] == pytest.approx(100 * summary["all_features"])


def test_no_other_method_has_the_colour_of_manifest():
    own = style.colours(path.stem for path in (CONFIGS / "method").glob("*.yaml"))
    strong = {name for name, color in own.items() if to_hex(color) == to_hex(style.STRONG)}
    assert strong == {name for name in own if family_of(name) == "manifest"}


def test_a_method_is_the_paper_s_if_an_experiment_of_the_paper_has_it():
    in_paper = [published(path.stem).get("methods", []) for path in CONFIGS.glob("published/*")]
    own = {path.stem for path in (CONFIGS / "method").glob("*.yaml")}
    assert {name for name in own if entry_of(name).get("of_paper")} == set().union(*in_paper)


@pytest.mark.parametrize("experiment", with_results(RESULTS))
def test_no_two_methods_of_a_figure_look_the_same(experiment):
    """Methods in grey are an area; a sum is dashed."""
    scorers = provenance_of(RESULTS / experiment)["config"]["method"].get("scorers") or {}
    drawn = style.without_variants(pd.DataFrame({"method": [*scorers]}))["method"]
    colors = {name: c for name, c in style.colours(drawn).items() if c != style.GREY}
    assert len({(c, family_of(name) == "sum") for name, c in colors.items()}) == len(colors)


def test_a_variant_is_left_out_beside_the_method_that_it_is_a_variant_of():
    assert entry_of("relieff_scaled")["form_of"] == "relieff"
    table = pd.DataFrame({"method": ["relieff_scaled", "gini", "relieff"]})
    assert style.without_variants(table)["method"].tolist() == ["gini", "relieff"]
    assert len(style.without_variants(table[:2])) == 2


@pytest.mark.parametrize(
    "run", ["toy", "xor100", "hypercube", "colon_embedded", "kinds_of_difference", "prostate"]
)
def test_a_figure_is_the_same_whatever_methods_are_called(run, drawn, tmp_path, monkeypatch):
    """All names and labels change, in configs and results, and no order, colour or count."""
    summary = pd.read_csv(RESULTS / run / "summary.csv")
    words = {*summary["method"], *summary["label"]} - {ALL_FEATURES}
    new = {word: f"x{i:03}" for i, word in enumerate(sorted(words, reverse=True))}
    old = {name: word for word, name in new.items()}

    def renamed(node):
        if isinstance(node, dict):
            return {renamed(k): v if k == "family" else renamed(v) for k, v in node.items()}
        if isinstance(node, list):
            return [*map(renamed, node)]
        return new.get(node, node) if isinstance(node, str) else node

    def entry(name):
        return renamed(entry_of(old.get(name, name)))

    for path in (RESULTS / run).glob("*.csv"):
        pd.read_csv(path).replace(new).to_csv(tmp_path / path.name, index=False)
    rows = pd.read_parquet(RESULTS / run / "rows.parquet")
    rows.assign(method=rows["method"].replace(new)).to_parquet(tmp_path / "rows.parquet")
    record = json.dumps(renamed(provenance_of(RESULTS / run)))
    (tmp_path / "provenance.json").write_text(record)
    before = {stem: picture(figure) for stem, figure in drawn(RESULTS / run).items()}
    for module in (config, controls, style):
        monkeypatch.setattr(module, "entry_of", entry)
    monkeypatch.setattr(style, "published", lambda name: renamed(published(name)))
    claims = [replace(each, arguments=renamed(each.arguments)) for each in claims_in(PAPER)]
    monkeypatch.setattr(points, "claims_in", lambda path: claims)
    assert {stem: picture(figure) for stem, figure in drawn(tmp_path).items()} == before


def picture(figure):
    """The pixels of a figure without its words, and their colours."""
    figure.set_layout_engine("none")
    texts = figure.findobj(Text)
    for hidden in (*texts, *figure.legends):
        hidden.set_visible(False)
    figure.canvas.draw()
    return bytes(figure.canvas.buffer_rgba()), [to_hex(text.get_color()) for text in texts]


def test_an_overlay_s_legend_names_all_that_is_drawn(drawn):
    (legend,) = drawn(RESULTS / "prostate")["figure_paper"].legends
    told = " ".join(" ".join(text.get_text() for text in legend.get_texts()).split())
    curves = pd.read_csv(RESULTS / "prostate" / "curves.csv")
    labels = style.labels_of(style.shown(RESULTS / "prostate", curves))
    assert all(label in told for label in labels.values())


def test_the_same_tables_give_the_same_files(tmp_path):
    folder = tmp_path / "toy"
    shutil.copytree(RESULTS / "toy", folder)
    written = []
    for _ in range(2):
        script.main([str(folder)])
        written.append([path.read_bytes() for path in sorted(folder.glob("figure*.p*"))])
    assert written[0] == written[1]
    assert len(written[0]) == 4
    assert (folder / "report.html").is_file()
    with pytest.raises(SystemExit, match="xor100"):
        script.main(["xor10"])


@pytest.mark.parametrize(("figure", "says"), [
    ("curvse", "curves"), ({"name": "curves", "by_methd": True}, "by_method"),
    *((figure, "name") for figure in ([1, 1], {"measures": ["test"]}, {"name": 3}, 7)),
])  # fmt: skip
def test_an_unknown_figure_or_option_is_refused_with_the_known_ones(figure, says):
    with pytest.raises(ConfigError, match=says):
        figures.check(figure)
