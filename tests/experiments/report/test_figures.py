"""All figures: the place of words and legends, the marks of methods, and redrawing."""

import json
import runpy
import shutil

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text

from experiments.config import ConfigError, entry_of
from experiments.report import figures, names
from experiments.report.figures import _forms, points, style
from experiments.report.figures.score_panels import relevant
from tests.experiments.conftest import CONFIGS

RESULTS = CONFIGS.parent / "results"
SCRIPT = runpy.run_path(str(CONFIGS.parent / "scripts" / "figures.py"))
#: Pixels by which rounding may move a word; a letter has about ten.
SLACK = 3


def inside(box, frame):
    return (frame.min - SLACK <= box.min).all() and (box.max <= frame.max + SLACK).all()


#: One of each figure; the others have the same code.
FIRST = (
    "arena",
    "colon",
    "hypercube",
    "mnist",
    "propositions",
    "recovery_few_samples",
    "toy",
    "xor100",
)


@pytest.mark.parametrize(
    "experiment",
    [
        name if name in FIRST else pytest.param(name, marks=pytest.mark.slow)
        for name in SCRIPT["with_results"]()
    ],
)
def test_a_figure_has_its_legend_below_and_all_its_words_inside_and_apart(experiment, tmp_path):
    folder = with_unreadable_labels(experiment, tmp_path / "run")
    config = json.loads((folder / "provenance.json").read_text())["config"]
    stems = set()
    for stem, figure in figures.drawn(config["figure"], folder):
        figure.draw_without_rendering()
        said = figures.title(config, stem)
        assert " ".join(figure.get_suptitle().split()) == said.replace("$", r"\$"), stem
        stems.add(f"{stem}.png")
        assert not [axis for axis in figure.axes if axis.get_legend()], stem
        panels = [axis for axis in figure.axes if axis.get_visible() and axis.axison]
        legends = [legend.get_window_extent() for legend in figure.legends]
        for box in legends:
            assert inside(box, figure.bbox), stem
            for axis in panels:
                assert box.y1 <= axis.get_window_extent().y0 + SLACK, stem
        for text in words(figure):
            box = text.get_window_extent()
            assert inside(box, figure.bbox), (stem, text.get_text())
            assert not any(_overlap(box, legend) for legend in legends), (stem, text.get_text())
    assert stems == {path.name for path in folder.glob("figure*.png")}


def words(figure):
    """All that is written beside ticks and legends, without what Matplotlib turns in space."""
    of_ticks = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.majorTicks, *axis.minorTicks)
        for label in (tick.label1, tick.label2)
    }
    of_legends = {text for legend in figure.legends for text in legend.findobj(Text)}
    in_space = {text for axes in figure.axes if axes.name == "3d" for text in axes.findobj(Text)}
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible()
        and text.get_text().strip()
        and text not in of_ticks | of_legends | in_space
    ]


def _overlap(one, other):
    return (np.minimum(one.max, other.max) - np.maximum(one.min, other.min) > SLACK).all()


def test_a_variant_is_left_out_beside_the_method_that_it_is_a_variant_of():
    """A variant alone stands for that method."""
    for methods, shown in (
        (["relieff_scaled", "gini", "relieff"], ["gini", "relieff"]),
        (["relieff_scaled"], ["relieff_scaled"]),
    ):
        kept = _forms.without_variants(pd.DataFrame({"method": methods * 2}))
        assert kept["method"].tolist() == shown * 2


def test_rows_are_in_the_order_of_their_means_and_the_names_of_manifest_are_bold():
    table = pd.DataFrame(
        {"label": list("abcabc"), "method": list("xyzxyz"), "n": [1] * 3 + [2] * 3}
    )
    table = table.assign(accuracy=[0.5, 0.7, 0.6, 0.8, 0.7, 0.9])
    figure = points.panels_of(table, ["n"], "accuracy", {"z": names.STRONG})
    rows = {text.get_text(): text.get_fontweight() for text in figure.axes[0].get_yticklabels()}
    assert rows == {"c": "bold", "b": "normal", "a": "normal"}
    assert [*rows] == list("cba")
    plt.close(figure)


def test_forms_are_forms_of_methods_that_there_are():
    methods = [path.stem for path in (CONFIGS / "method").glob("*.yaml")]
    first_of = {name: entry_of(name)["form_of"] for name in methods if "form_of" in entry_of(name)}
    firsts = {*first_of.values()}
    assert len(firsts) > 3
    assert firsts <= {*methods} - {*first_of}


def table(**values):
    return pd.DataFrame(
        [
            {"method": name, "label": name.upper(), "n_features": size, "mean": value}
            for name, points in values.items()
            for size, value in enumerate(points)
            if value is not None
        ]
    )


def test_alike_are_methods_that_one_could_not_tell_apart():
    step = _forms.CLOSE / 2
    found = _forms.alike(
        table(
            gini=[0.5, 0.6],
            anova=[0.5, 0.6],
            near=[0.5 + step, 0.6 - step],
            far=[0.5, 0.6 + 3 * step],
            short=[0.5, None],
            manifest=[0.5, 0.6],
        ),
        ["n_features"],
        ["mean"],
    )
    assert found == {
        "gini": "GINI ≈ ANOVA ≈ NEAR",
        "far": "FAR",
        "short": "SHORT",
        "manifest": "MANIFEST",
    }
    same = table(gini=[0.5, np.nan], anova=[0.5, np.nan])
    assert _forms.alike(same, ["n_features"], ["mean"]) == {"gini": "GINI = ANOVA"}


def test_relevant_features_are_those_that_the_data_name(tmp_path):
    assert relevant(tmp_path) == []
    for params, found in (({"n_samples": 50}, []), ({"relevant": [0, 2]}, [1, 3])):
        (tmp_path / "provenance.json").write_text(json.dumps({"data": {"params": params}}))
        assert relevant(tmp_path) == found


def test_a_title_has_the_share_of_the_draws_of_each_feature_that_a_case_names():
    folder = RESULTS / "toy"
    shares = pd.read_csv(folder / "features.csv").set_index(["case", "method", "feature"])
    figure = dict(figures.drawn("score_panels", folder))["figure"]
    titles = {axis.get_title(loc="left") for axis in figure.axes}
    own = shares["selected"].loc["b", "manifest"][[1, 5]].to_numpy()
    said = f"finds f1 in {100 * own[0]:.0f} %, f5 in {100 * own[1]:.0f} % of the draws"
    assert any(title.endswith(f"\n{said}") for title in titles), titles
    # f5 is constant, and not relevant.
    (legend,) = figure.legends
    assert legend.get_texts()[0].get_text() == "named in the title"


def test_a_title_says_which_numbers_are_of_one_draw_and_which_of_all():
    drawn = dict(figures.drawn("hypercube", RESULTS / "hypercube"))
    means = pd.read_csv(RESULTS / "hypercube" / "panels.csv")["mean_accuracy"]
    for axis, mean in zip(drawn["figure_tsne"].axes, means, strict=True):
        said = f"SVM, mean of the draws: {100 * mean:.1f} %"
        assert axis.get_title(loc="left").endswith(said)


def test_two_methods_beyond_the_first_ones_have_no_figure_of_their_own():
    methods = [*names.MAIN, "gini", "ig", "pearson"]
    for n, stems in ((6, [""]), (7, ["", "_others"])):
        parts = _forms.first_and_others(pd.DataFrame({"method": methods[:n]}))
        assert list(parts) == stems
        assert sum(map(len, parts.values())) == n


def test_the_methods_of_a_figure_keep_their_colours_and_others_are_behind_them(tmp_path):
    found = style.colours(tmp_path, [path.stem for path in (CONFIGS / "method").glob("*.yaml")])
    assert {found[name] for name in names.OWN} == {names.STRONG}
    coloured = (*names.MAIN, "manifest_relieff", "manifest_set", "random")
    main = [found[name] for name in coloured]
    assert len({*main, names.GREY}) == len(main) + 1
    assert {*found.values()} == {*main, names.GREY}
    own = "manifest_set"
    alone = style.colours(tmp_path, ["gini", own, "relieff", "manifest_relieff"])
    assert alone[own] == names.STRONG
    widths = [style.look(name, alone[name])["linewidth"] for name in (own, "gini")]
    assert widths[0] > widths[1]
    assert style.colours(tmp_path, ["manifest", own])[own] != names.STRONG
    few = style.colours(tmp_path, ["gini", "manifest", "ig"])
    assert few["manifest"] == names.STRONG
    assert len({*few.values(), names.GREY}) == 4


def of_run(folder, scorers):
    """Give a folder the provenance of a run with these methods."""
    record = {"config": {"method": {"scorers": scorers}}}
    (folder / "provenance.json").write_text(json.dumps(record))


def test_the_colour_of_a_brought_method_is_that_of_its_run_and_one_that_matplotlib_knows(tmp_path):
    of_run(tmp_path, {"relieff": {"color": "red"}, "brought": {"color": "C0"}, "new": {}})
    found = style.colours(tmp_path, ["relieff", "brought", "new", "newer", "manifest"])
    assert found["relieff"] == style.colours(tmp_path / "none", ["relieff"])["relieff"]
    assert found["brought"] == "C0"
    assert len({to_hex(color) for color in found.values()}) == len(found)
    of_run(tmp_path, {"mine": {"color": "reddish"}})
    with pytest.raises(ConfigError, match=r"^method mine: color must .*, got 'reddish'$"):
        style.colours(tmp_path, ["mine"])


def with_unreadable_labels(experiment, folder):
    """A copy of stored results, a formula that Matplotlib cannot read in each label."""
    shutil.copytree(RESULTS / experiment, folder)
    for path in folder.glob("*.csv"):
        table = pd.read_csv(path)
        labels = [name for name in style.LABELS if name in table]
        table[labels] = table[labels].astype(str) + r"$\q$"
        table.to_csv(path, index=False)
    return folder


@pytest.fixture
def rows_drawn(tmp_path):
    """A function from rows of a summary to the axis of the figure of each protocol."""

    def axes(*rows):
        head = {"tuning": "paper", "ranking_share": 1.0, "std": 0.1}
        table = pd.DataFrame([{**head, "ci_low": 0.6, "ci_high": 1.0, **r} for r in rows])
        columns = ["tuning", "method", "label", "accuracy", "std"]
        table = table[[*columns, *table.columns.difference(columns)]]
        table.to_csv(tmp_path / "summary.csv", index=False)
        return {stem: figure.axes[0] for stem, figure in points.draw(tmp_path).items()}

    yield axes
    plt.close("all")


def ticks(axis):
    return [text.get_text() for text in axis.get_yticklabels()]


def dots(axis):
    """Accuracy, height and whether filled of each point."""
    return [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_markerfacecolor() != "white")
        for line in axis.lines
        if line.get_marker() == "o"
    ]


def test_the_figure_fills_what_was_measured_and_leaves_hollow_what_is_quoted(rows_drawn):
    """A published number is in the row of its method, and below all others if it has none."""
    axis = rows_drawn(
        {"method": "manifest", "label": "ManiFeSt", "accuracy": 0.75},
        {"quoted": False, "method": "lasso", "label": "LASSO", "accuracy": 0.85},
        {"quoted": False, "method": "broken", "label": "Broken", "accuracy": np.nan},
        {"method": "lspin_quoted", "label": "LSPIN, quoted", "accuracy": 0.9, "quoted": True},
        {"method": "lasso_quoted", "label": "LASSO, quoted", "accuracy": 0.8, "quoted": True},
    )["figure_paper"]
    assert ticks(axis) == ["LASSO", "ManiFeSt", "LSPIN, quoted"]
    found = [(75, 1, True), (85, 0, True), (90, 2, False), (80, 0, False)]
    np.testing.assert_allclose(dots(axis), found)
    assert max(line.get_xdata().max() for line in axis.lines) <= 100
    assert axis.get_xlim()[1] <= 101
    (legend,) = axis.figure.legends
    assert legend.get_texts()[-1].get_text() == "published"


def test_each_protocol_has_a_figure_and_a_table_without_classifiers_has_no_legend(rows_drawn):
    one = {"method": "gini", "label": "Gini", "accuracy": 0.7}
    (axis,) = rows_drawn(one).values()
    assert (ticks(axis), axis.figure.legends) == (["Gini"], [])
    svc = {"method": "svc", "label": "SVC", "accuracy": 0.67, "quoted": False}
    nested = [{**row, "tuning": "nested"} for row in ({**one, "accuracy": 0.65}, svc)]
    axes = rows_drawn(one, svc, *nested)
    assert ticks(axes["figure_paper"]) == ["Gini", "SVC"]
    assert ticks(axes["figure_nested"]) == ["SVC", "Gini"]


def test_a_run_is_redrawn_from_its_tables(tmp_path, capsys):
    folder = with_unreadable_labels("operators", tmp_path / "run")
    pictures = sorted(path.name for path in folder.glob("figure*"))
    for name in pictures:
        (folder / name).unlink()
    SCRIPT["main"]([str(folder)])
    drawn = {path.name for path in folder.glob("figure*")}
    assert drawn == set(pictures)
    told = capsys.readouterr().out.split()
    assert told.pop() == str(folder / "report.html")
    assert len(told) == len(drawn) >= 2


def test_a_run_that_draws_nothing_gets_the_same_figures_later(run):
    drawn, _ = run("experiment=toy", "profile=smoke", folder="drawn", figures=True)
    later, _ = run("experiment=toy", "profile=smoke", "draw=false", folder="later", figures=True)
    pictures = {path.name: path.read_bytes() for path in drawn.glob("figure*")}
    assert pictures
    assert not [*later.glob("figure*"), *later.glob("*.html")]
    SCRIPT["main"]([str(later)])
    assert {path.name: path.read_bytes() for path in later.glob("figure*")} == pictures
    assert (later / "report.html").is_file()


def test_an_unknown_experiment_ends_with_the_valid_ones():
    with pytest.raises(SystemExit, match=r"no experiment with stored results 'colom'.*colon"):
        SCRIPT["main"](["colom"])
