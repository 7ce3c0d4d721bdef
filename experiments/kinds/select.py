"""Answer which features of a table differ between classes, and whether the class can be predicted.

The first question is answered feature by feature. The second one is answered by a procedure that
makes all its choices on training samples. It is evaluated on other samples, and again with shuffled
labels. The reported set is the one that the procedure chooses from all samples.
"""

import json
import logging
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.cache import Row
from experiments.config import ConfigError
from experiments.datasets import DataError
from experiments.datasets.dataset import some
from experiments.datasets.table import Table
from experiments.evaluation.data import described, load_table
from experiments.evaluation.differ import ALPHA, Found, copies_of, differ, groups_of, rank_test
from experiments.evaluation.methods import try_methods
from experiments.evaluation.nested import Design, interval_of, recalls_of, roc_auc
from experiments.evaluation.samples import Loaded
from experiments.files import as_csv
from experiments.kinds import base
from experiments.report.pages import TEMPLATES
from experiments.report.text import probability
from experiments.schemas import SelectProtocol

log = logging.getLogger(__name__)

#: Number of samples (or groups) of each class that a prediction needs.
FOR_PREDICTION = 4
#: There is a warning for a class with fewer samples (or groups), and for a covariate if the class
#: explains at least this share of it beyond chance (adjusted R²).
SMALL, CONFOUNDED = 10, 0.25
#: Features on the terminal: most that differ, and others; features on the page.
LISTED, MORE, SHOWN = 15, 3, 100
#: Wraps a text for a terminal, without breaking names at hyphens.
wrapped = textwrap.TextWrapper(98, break_on_hyphens=False).fill


def check(config: DictConfig) -> None:
    """Raise a ConfigError if numbers make no sense."""
    least = {"outer_folds": 2, "inner_folds": 2, "loops": 1, "n_shuffles": 1, "first": 2}
    least["choosing_samples"] = 20
    base.check_numbers(config, "sizes", "log2_C", n_features=1, **least, **{"sizes[0]": 1})
    base.check_dataset(config, *base.PARTS, instead="all samples and features are used")
    if config.dataset.name != "table":
        raise ConfigError("experiment=select takes an own table; remove what chooses a data set")


def run(run: base.Run) -> base.Results:
    """Answer the first question, print and write it, then answer the second one."""
    config = run.config
    log.info("reading %s", config.dataset.path)
    samples = load_table(config)
    if config.protocol.read_only:
        return as_read(samples)
    (n, d), n_features = samples.X.shape, config.protocol.n_features
    if d <= (n_features or 1):
        raise DataError(
            f"{d} features are left to select from; give at least two, and fewer as "
            f"protocol.n_features (it is {n_features})"
        )
    names = samples.row_names or tuple(f"sample {i}" for i in range(1, n + 1))
    samples = replace(samples, row_names=names)
    groups = groups_of(samples)
    found = differ(samples, groups, within=samples.groups is not None)
    ordered = found.table.sort_values("p_value", kind="stable")
    facts = facts_of(samples, config, found)
    facts["warnings"] = warnings_of(samples, found, copies_of(samples.X))
    log.info("\n%s\n", first_text(facts, ordered))
    run.write_early("differ.csv", as_csv(ordered))
    more, of_features, predictions = predicted(run, samples, groups)
    features = ordered.join(of_features)
    if more["predict"]["evidence"] is None:
        few = ordered["feature"][: n_features or ordered["differs"].sum()]
        more["selected"] = {"method": "p", "features": few.tolist()}
    facts |= more
    facts["answers"] += (answers := answers_of_prediction(facts))
    features["chosen"] = features["feature"].isin(facts["selected"]["features"])
    how = {"transform": config.dataset.transform, "scaling": config.dataset.scaling}
    facts["paragraph"] = wrapped(TEMPLATES.get_template("methods.txt").render(how, answer=facts))
    columns = ["feature", "chosen", "frequency", "rank", "differs", "q_value"]
    best = features.sort_values(["chosen", "frequency"], ascending=False, kind="stable")
    files = {
        "differ.csv": as_csv(ordered),
        "features.csv": as_csv(best[columns]),
        "selected.txt": "".join(f"{name}\n" for name in facts["selected"]["features"]),
        "methods.txt": facts["paragraph"] + "\n",
        "answer.json": _json(facts),
        **({"predictions.csv": as_csv(predictions)} if len(predictions) else {}),
        **({"report.html": page(facts, features)} if config.draw else {}),
    }
    return base.Results(
        None,
        described(samples),
        files={name: content.encode() for name, content in files.items()},
        text="\n".join(wrapped(f"{what} {short}: {long}.") for what, short, long in answers),
    )


def as_read(samples: Table) -> base.Results:
    """Write the table as it was read: features to read.parquet, everything else to read.json."""
    about = {
        "features": samples.feature_names,
        "labels": [samples.label_names[code] for code in samples.y.tolist()],
        "row_names": samples.row_names,
        "notes": samples.notes,
    }
    table = pd.DataFrame(samples.X, columns=samples.feature_names).to_parquet(index=False)
    files = {"read.json": _json(about).encode(), "read.parquet": table}
    text = "{} rows and {} features were read; read.json has the details".format(*samples.X.shape)
    return base.Results(None, described(samples), files=files, text=text)


# Can the class be predicted?


def design_of(run: base.Run, samples: Table, groups: np.ndarray) -> Design:
    """Return the design of a config, with fewer folds if the smallest class needs it."""
    protocol, d = run.config.protocol, samples.X.shape[1]
    least = min(len(set(groups[samples.y == c])) for c in samples.label_names)
    if len(samples.label_names) > 2:
        try_methods(run.methods, len(samples.label_names))
    outer = min(protocol.outer_folds, least)
    first = min(d, max(protocol.first, protocol.n_features or 0))
    sizes = [*(size for size in protocol.sizes if size < first), first]
    return Design(
        source=Loaded.of(samples, run.cache),
        groups=groups,
        candidates=[(method, each) for method in run.methods for each in method.candidates()],
        sizes=[protocol.n_features] if protocol.n_features else sizes,
        Cs=[2.0**C for C in protocol.log2_C],
        first=first,
        scaling=run.config.dataset.scaling,
        choosing_samples=protocol.choosing_samples,
        outer_folds=outer,
        inner_folds=min(protocol.inner_folds, least - -(-least // outer)),
        seed=run.config.seed,
    )


def predicted(
    run: base.Run, samples: Table, groups: np.ndarray
) -> tuple[dict[str, Any], pd.DataFrame, pd.DataFrame]:
    """Answer the second question: facts, chosen set, columns of the features, and predictions.

    One loop over the samples with the true labels is shown and compared with one for each shuffle.
    """
    protocol, d, C = run.config.protocol, samples.X.shape[1], len(samples.label_names)
    counts = np.array([len(set(groups[samples.y == c])) for c in range(C)])
    features = pd.DataFrame({"frequency": np.nan, "rank": np.nan}, index=range(d))
    if (least := int(counts.min())) < FOR_PREDICTION:
        reason = f"the smallest class has {least} independent samples; {FOR_PREDICTION} are needed"
        return {"predict": {"evidence": None, "reason": reason}}, features, pd.DataFrame()
    design = design_of(run, samples, groups)
    n_folds = design.outer_folds
    whole = design.task(None, None)
    own = [design.task(None, split) for split in range(n_folds * protocol.loops)]
    others = [design.task(n, k) for n in range(protocol.n_shuffles) for k in range(n_folds)]
    run.complete(tasks := [whole, *own, *others], "evaluating")
    if (made := run.rows(tasks)) is None:
        raise ConfigError("the procedure failed on these samples; the log above says why")
    last, rows, tested = made[0], made[1 : 1 + len(own)], made[1 : 1 + n_folds]
    loops = [made[at : at + n_folds] for at in range(1, len(made), n_folds)]
    scores = [float(recalls_of(loop, C).mean()) for loop in loops]
    accuracies, by_chance = scores[: protocol.loops], sorted(scores[protocol.loops :])
    n_as_good = sum(each >= accuracies[0] - 1e-9 for each in by_chance)
    p = (1 + n_as_good) / (1 + len(by_chance))
    order, size = np.asarray(last["order"]).astype(int), int(last["size"])
    taken = np.concatenate([row["order"][: int(row["size"])] for row in rows]).astype(int)
    features["frequency"] = np.bincount(taken, minlength=d) / len(rows)
    features.loc[order, "rank"] = np.arange(1, len(order) + 1)
    labels = [method.label for method, _ in design.candidates]
    n_training = len(samples.y) - len(tested[0]["test"])
    facts = {
        "evidence": bool(p <= ALPHA),
        "balanced_accuracy": accuracies[0],
        "other_loops": accuracies[1:],
        "interval": interval_of(recalls_of(tested, C), counts, n_folds),
        "guess": 1 / C,
        "roc_auc": roc_auc(tested, C),
        "p_value": p,
        "n_as_good": n_as_good,
        "n_shuffles": len(by_chance),
        "shuffled": by_chance,
        "outer_folds": n_folds,
        "inner_folds": design.inner_folds,
        "methods": list(dict.fromkeys(labels)),
        "first": design.first if design.first < d else None,
        "chosen_by": protocol.choosing_samples if n_training > protocol.choosing_samples else None,
    }
    names = np.array(samples.feature_names, dtype=object)[order[:size]].tolist()
    chosen = {"method": labels[int(last["candidate"])], "features": names}
    predictions = predictions_of(samples, loops[: protocol.loops])
    return {"predict": facts, "selected": chosen}, features, predictions


def predictions_of(samples: Table, loops: Sequence[Sequence[Row]]) -> pd.DataFrame:
    """A row for each sample and loop: its class, the predicted one, and the scores of classes."""
    names = np.array(samples.row_names, dtype=object)
    classes = np.array([*samples.label_names.values()], dtype=object)
    parts = []
    for loop, row in ((loop, row) for loop, rows in enumerate(loops, 1) for row in rows):
        test, scores = np.asarray(row["test"]).astype(int), row["scores"].reshape(-1, len(classes))
        part = {"at": test, "sample": names[test], "loop": loop, "class": classes[samples.y[test]]}
        part |= {"predicted": classes[scores.argmax(axis=1)]}
        parts.append(pd.DataFrame(part | dict(zip("score_" + classes, scores.T, strict=True))))
    return pd.concat(parts).sort_values(["loop", "at"]).drop(columns="at")


# What is told


def warnings_of(samples: Table, found: Found, copies: np.ndarray) -> list[str]:
    """Sentences on what may make the answer wrong."""
    table, told, names = found.table, [], pd.Series(samples.row_names)
    if samples.groups is None and (repeats := names.duplicated()).any():
        told.append(
            f"row names repeat (such as {names[repeats].iloc[0]}), and each counts as a sample; if "
            "rows belong together, p and intervals are too good: name dataset.groups"
        )
    if (again := np.bincount(copies)[copies] > 1).any():
        told.append(
            f"{again.sum()} samples are equal to another one (such as {names[again.argmax()]}); "
            "equal samples count as one group"
        )
    told += [
        f"{name} goes with the class (adjusted R² {share:.2f}): effects can hardly be told apart"
        for name, share in found.shares.items()
        if share >= CONFOUNDED
    ]
    told += [
        f"class {label} has {n} independent samples: only a large difference can show"
        for label, n in zip(samples.label_names.values(), found.n_rows, strict=True)
        if n < SMALL
    ]
    if samples.groups is None and (like := like_groups(samples)):
        told.append(
            f"{some(like)}: whole numbers, each in several samples of one class; if they say who "
            f"or where a sample is from, p is too good: set dataset.groups={like[0]}"
        )
    if (sure := table["by_chance"] * len(table) < ALPHA).any():
        most = probability(table.loc[sure, "by_chance"].max())
        told.append(
            f"{some(table.loc[sure, 'feature'])}: separates the classes alone (by chance in {most} "
            "of cases); check that it is no other form of the target, or measured after it"
        )
    return told


def like_groups(samples: Table) -> list[str]:
    """Names of features whose values look like numbers of groups: whole, and of one class each."""
    X, y, found = samples.X, samples.y, []
    # By chance, each sample beyond the first of its value has the class of that one.
    most = len(y) - np.log(ALPHA / X.shape[1]) / np.log(np.bincount(y).max() / len(y))
    for j in np.flatnonzero((X % 1 == 0).all(axis=0)):
        n_values = len(np.unique(X[:, j]))
        is_between = len(samples.label_names) < n_values < most
        if is_between and len(np.unique([X[:, j], y], axis=1).T) == n_values:
            found.append((samples.feature_names or ())[j])
    return found


def facts_of(samples: Table, config: DictConfig, found: Found) -> dict[str, Any]:
    """The facts on the samples and of the first question, as JSON values."""
    options, table = config.dataset, found.table
    names = table.loc[table["differs"]].sort_values("p_value", kind="stable")["feature"].tolist()
    classes, n_tested = samples.label_names.values(), int(table["p_value"].notna().sum())
    told = f"{some(names) or 'none'}, at a false discovery rate of 5 %"
    return {
        "file": Path(options.path).name,
        "target": options.target,
        "n_samples": len(samples.y),
        "n_features": len(table),
        "classes": dict(zip(classes, np.bincount(samples.y).tolist(), strict=True)),
        "groups": None if samples.groups is None else options.groups,
        "n_groups": None if samples.groups is None else len(set(samples.groups)),
        "adjust": list(samples.adjust),
        "n_gaps": int(np.isnan(samples.X).sum()),
        "notes": list(samples.notes),
        "differ": {
            "evidence": bool(names),
            "features": names,
            "n_tested": n_tested,
            "prior_df": found.prior_df if np.isfinite(found.prior_df) else None,
            "within": found.within or None,
            "rank_test": rank_test(len(classes), found.within > 0)[0],
        },
        "answers": [["Which features differ?", f"{len(names) or 'none'} of {n_tested}", told]],
    }


def answers_of_prediction(facts: Mapping[str, Any]) -> list[list[str]]:
    """The second question and the chosen set: a question, a short and a long answer each."""
    found, names = facts["predict"], facts["selected"]["features"]
    if found["evidence"] is None:
        short, long = "not evaluated", found["reason"]
    else:
        short = "yes" if found["evidence"] else "not shown"
        long = TEMPLATES.get_template("predicted.txt").render(found).strip()
    size = f"{len(names)} by {facts['selected']['method']}"
    return [
        [f"Can {facts['target']} be predicted?", short, long],
        ["Which set is chosen?", size, some(names) or "none"],
    ]


def first_text(facts: Mapping[str, Any], table: pd.DataFrame) -> str:
    """Write the first question for a terminal, in lines of less than 100 characters."""
    classes = ", ".join(f"{name} {n}" for name, n in facts["classes"].items())
    head = f"{facts['n_samples']} samples, {facts['n_features']} features; {facts['target']}: "
    warned = [f"WARNING {told}" for told in facts["warnings"]]
    lines = [head + classes, *facts["notes"], *warned, "{} {}: {}.".format(*facts["answers"][0])]
    columns = ["feature", "effect", "effect_low", "effect_high", "higher_in", "q_value", "p_rank"]
    n_rows = min(LISTED, int(table["differs"].sum())) + MORE
    shown = table.head(n_rows)[columns].replace(r"(?s)^(.{23}).{2,}", r"\1…", regex=True)
    return "\n".join([*map(wrapped, lines), "", shown.to_string(index=False, float_format="%.3g")])


def page(facts: Mapping[str, Any], features: pd.DataFrame) -> str:
    """Return the report as HTML: warnings, three tiles, and the features that differ most."""
    kept = features[features["chosen"] | (np.arange(len(features)) < SHOWN)]
    ends = np.abs(kept[["deviations_low", "deviations_high"]].to_numpy())
    template, rows = TEMPLATES.get_template("select.html"), kept.to_dict("records")
    return template.render(answer=facts, features=rows, unit=40 / np.nanmax(ends, initial=1e-9))


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


KIND = base.Kind(schema=SelectProtocol, check=check, run=run)
