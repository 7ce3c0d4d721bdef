"""Answer which features of a table differ between classes, and whether the class can be predicted.

The first question is answered feature by feature. The second one is answered by a procedure that
makes all its choices on training samples. It is evaluated on other samples, and again with shuffled
labels. The reported set is the one that the procedure chooses from all samples.
"""

import json
import logging
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import pandas as pd
from omegaconf import DictConfig

from experiments import config as base_config
from experiments.cache import Run
from experiments.config import PARTS, ConfigError, check_dataset, check_numbers, check_rankings
from experiments.datasets import DataError
from experiments.datasets.own.table import Table
from experiments.evaluation.data import described, load_table
from experiments.evaluation.methods import resolve
from experiments.files import Outputs, as_csv, write_text
from experiments.report.stored import former_files, write_provenance
from experiments.table import page
from experiments.table.answer import Answer, Differences
from experiments.table.differ import differ, groups_of
from experiments.table.predict import Chosen, predicted

log = logging.getLogger(__name__)

#: The columns of features.csv.
FEATURE_COLUMNS = ["feature", "chosen", "frequency", "rank", "differs", "q_value"]


def validate(config: DictConfig) -> None:
    """Raise a ConfigError if numbers make no sense."""
    base_config.validate(config)
    least = {"outer_folds": 2, "inner_folds": 2, "loops": 1, "n_shuffles": 1, "first": 2}
    least["choosing_samples"] = 20
    check_numbers(config, "sizes", "log2_C", n_features=1, **least, **{"sizes[0]": 1})
    check_rankings(config)
    check_dataset(config, *PARTS, instead="all samples and features are used")
    if config.dataset.name != "table":
        raise ConfigError("experiment=select takes an own table; remove what chooses a data set")


def outputs(run: Run) -> Outputs:
    """Answer the first question, print and write it, then answer the second one."""
    config = run.config
    methods = resolve(config)
    log.info("reading %s", config.dataset.path)
    samples = load_table(config)
    if config.protocol.read_only:
        return as_read(samples)
    n_samples, n_given = samples.X.shape
    n_features = config.protocol.n_features
    if n_given <= (n_features or 1):
        raise DataError(
            f"{n_given} features are left to select from; give at least two, and fewer as "
            f"protocol.n_features (it is {n_features})"
        )
    if not samples.row_names:
        names = [f"sample {number}" for number in range(1, n_samples + 1)]
        samples = replace(samples, row_names=tuple(names))
    groups = groups_of(samples)
    tests = differ(samples, groups, within=samples.groups is not None)
    ordered = tests.table.sort_values("p_value", kind="stable")
    differences = Differences.of(tests, ordered, len(samples.label_names))
    answer = Answer.of(samples, config, tests, differences)
    answer.answers.append(page.first_answer(differences))
    log.info("\n%s\n", page.first_text(answer, ordered))
    write_early(run, "differ.csv", as_csv(ordered))
    answer.predict, chosen, frequencies, predictions = predicted(run, methods, samples, groups)
    smallest_p = ordered["feature"][: n_features or len(differences.features)]
    answer.selected = chosen or Chosen("p", smallest_p.tolist())
    answers = page.answers_of_prediction(answer.target, answer.predict, answer.selected)
    answer.answers += answers
    answer.paragraph = page.paragraph(answer, config.dataset.transform, config.dataset.scaling)
    features = ordered.join(frequencies)
    features["chosen"] = features["feature"].isin(answer.selected.features)
    best = features.sort_values(["chosen", "frequency"], ascending=False, kind="stable")
    files = {
        "differ.csv": as_csv(ordered),
        "features.csv": as_csv(best[FEATURE_COLUMNS]),
        "selected.txt": "".join(f"{name}\n" for name in answer.selected.features),
        "methods.txt": answer.paragraph + "\n",
        "answer.json": as_json(asdict(answer)),
    }
    if len(predictions):
        files["predictions.csv"] = as_csv(predictions)
    return Outputs(
        {name: content.encode() for name, content in files.items()},
        described(samples),
        page.last_text(answers),
        draw=partial(page.write, answer, features),
    )


def as_read(samples: Table) -> Outputs:
    """Write the table as it was read: features to read.parquet, everything else to read.json."""
    about = {
        "features": samples.feature_names,
        "labels": [samples.label_names[code] for code in samples.y.tolist()],
        "row_names": samples.row_names,
        "notes": samples.notes,
    }
    table = pd.DataFrame(samples.X, columns=samples.feature_names).to_parquet(index=False)
    files = {"read.json": as_json(about).encode(), "read.parquet": table}
    text = "{} rows and {} features were read; read.json has the details".format(*samples.X.shape)
    return Outputs(files, described(samples), text, draw=lambda folder: [])


def write_early(run: Run, name: str, text: str) -> None:
    """Write a file of the results during the run, in place of an earlier run."""
    if run.folder is None:
        return
    for path in former_files(run.folder):
        path.unlink()
    write_provenance(run.folder, {"config": {"name": run.config.name}}, [name])
    write_text(run.folder / name, text)


def as_json(value: Any) -> str:
    """Return indented JSON, with names as they are."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
