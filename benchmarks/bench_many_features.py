"""Many features: the score block by block against the exact one, its growth, what it recovers.

- agreement: prostate (5966 genes) and Gisette-like data (5000 features) at percentiles 10, 50 and
  90 of the distances. "spearman" is the rank correlation with the exact score, "of 200" how many of
  the best 200 features are among its best 200, "time" the share of the exact time. "two halves" and
  "two sizes" are what the approximation knows of itself: Spearman's rank correlation and the share
  of the best 200 in common, between halves of the repeats and with blocks of half the size.
- recovery: expression_like data with planted blocks, whose features differ between the classes in
  their correlation alone: the share of planted features among as many best ones.
- growth (--growth, none by default): time and memory of 100 samples of so many features, planted
  blocks of 100; the exponents are slopes of log time, and log memory, against log features.

Every point runs in a process of its own, one after the other, and waits in outputs/many_features
until all are there, so that a run that was interrupted goes on. "MiB" is the peak of the process
and of its workers together. Writes results/benchmarks/many_features.csv and many_features.md.

    python benchmarks/bench_many_features.py
    python benchmarks/bench_many_features.py --exact 20000
    python benchmarks/bench_many_features.py --exact 20000 --growth 12500 25000 50000 450000
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import common
from benchmarks.common import OUTPUTS, environment, machine
from experiments.atomic import atomic_write
from experiments.engine.parallel import available_cores
from experiments.report.text import markdown
from manifest.approximation import agreement

WAITING = OUTPUTS / "many_features"
#: Block, context and repeats; the first are the defaults of the score.
SETTINGS = ((2000, 0, 2), (1000, 0, 2), (1000, 1000, 2))
#: The scale at which features that are not correlated are far apart in the kernel.
SHARP = {"scale_factor": 0.4}
FILTERS = ("anova", "relieff")
TOP = 200


def series(chosen):
    """All points, those of one section and data set after its exact score."""
    share = {"prostate_ge": {}, "gisette_like": {"n_samples": 200, "n_features": 5000}}
    for name in chosen.data:
        for percentile in chosen.percentiles:
            point = {"section": "agreement", "data": {"name": name, "params": share[name]}}
            yield from compared(point, {"percentile": percentile}, SETTINGS)
    for d in (*chosen.recovery, *chosen.exact):
        point = {"section": "recovery", "data": expression(d, 20)}
        yield from compared(point, SHARP, SETTINGS)
        yield from (point | {"method": name, "parameters": {}} for name in FILTERS)
    for d in chosen.growth:
        point = {"section": "growth", "data": expression(d, 100)}
        yield point | approximate(SHARP, SETTINGS[0])
        yield from (point | {"method": name, "parameters": {}} for name in FILTERS)


def expression(d, block):
    return {"name": "expression_like", "params": {"n_features": d, "block": block}}


def compared(point, parameters, settings):
    yield point | {"method": "exact", "parameters": parameters}
    yield from (point | approximate(parameters, one) for one in settings)


def approximate(parameters, setting):
    sizes = dict(zip(("block", "context", "repeats"), setting, strict=True))
    jobs = {"n_jobs": available_cores()}
    return {"method": "context", "parameters": parameters | sizes | jobs}


def version(root):
    """A digest of the code that is measured."""
    digest = hashlib.sha256()
    for folder in ("manifest", "baselines", "experiments/datasets"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def measured(point, scores, home):
    """The answer of a process of its own about a point; its scores are in a file."""
    script = Path(__file__).with_name("many_features_point.py")
    command = [sys.executable, str(script), json.dumps(point), str(scores), "--home", str(home)]
    output = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment()
    ).stdout
    return json.loads(output.splitlines()[-1])


def run(points, waiting, home):
    """A row for each point: those that wait from before, and the others, each on its own."""
    waiting.mkdir(parents=True, exist_ok=True)
    rows, exact = [], {}
    for point in points:
        key = hashlib.sha256(json.dumps(point, sort_keys=True).encode()).hexdigest()[:16]
        scores, about = waiting / f"{key}.npy", waiting / f"{key}.json"
        if not about.is_file():
            found = measured(point, scores, home)
            with atomic_write(about) as part:
                part.write_text(json.dumps(found))
            print(point, found, flush=True)
        row = described(point) | json.loads(about.read_text())
        same = (row["data"], row["features"], row["scale"])
        if row["method"] == "exact":
            exact[same] = row["seconds"], scores
        elif row["method"] == "context" and row["section"] != "growth":
            seconds, theirs = exact[same]
            near = agreement(np.load(scores), np.load(theirs), TOP)
            row |= {"spearman": near.spearman, "of 200": round(TOP * near.top)}
            row["time"] = row["seconds"] / seconds
        rows.append(row)
    return pd.DataFrame(rows)


def described(point):
    """The columns that say what a point is."""
    given = dict(point["parameters"])
    sizes = {name: given.pop(name, None) for name in ("block", "context", "repeats")}
    given.pop("n_jobs", None)
    scale = ", ".join(f"{name} {value}" for name, value in given.items())
    return {
        "section": point["section"],
        "data": point["data"]["name"],
        "features": point["data"]["params"].get("n_features", 5966),
        "scale": scale,
        "method": point["method"],
        **sizes,
    }


def exponents(growth):
    """Slopes of log seconds and log MiB against log features, by method; one sentence each."""
    for method, part in growth.groupby("method", sort=False):
        if len(part) > 1:
            time, memory = (
                np.polyfit(np.log(part["features"]), np.log(part[name]), 1)[0]
                for name in ("seconds", "MiB")
            )
            yield f"{method}: seconds ~ features^{time:.2f}, MiB ~ features^{memory:.2f}."


def pair(value):
    """A pair of agreements, empty where there is none."""
    return "{:.3f}, {:.3f}".format(*value) if isinstance(value, list) else ""


def text(value, form):
    return "" if pd.isna(value) else form.format(value)


def report(table):
    """many_features.md."""
    shown = pd.DataFrame(index=table.index)
    for name, form in (
        ("data", "{}"), ("features", "{}"), ("scale", "{}"), ("method", "{}"), ("block", "{:.0f}"),
        ("context", "{:.0f}"), ("repeats", "{:.0f}"), ("seconds", "{:.3g}"), ("MiB", "{:.0f}"),
        ("time", "{:.2f}"), ("spearman", "{:.4f}"), ("of 200", "{:.0f}"), ("recovered", "{:.2f}"),
    ):  # fmt: skip
        if name in table:
            shown[name] = [text(value, form) for value in table[name]]
    for name, title in (("agreement", "two halves"), ("agreement_of_sizes", "two sizes")):
        shown[title] = [pair(value) for value in table[name]]
    paragraphs = ["What the columns mean: see benchmarks/bench_many_features.py.\n"]
    for section, part in shown.groupby(table["section"], sort=False):
        used = part.loc[:, (part != "").any()]
        paragraphs += [f"## {str(section).capitalize()}\n", markdown(used)]
        if section == "growth":
            paragraphs += [line + "\n" for line in exponents(table[table["section"] == section])]
    return "\n".join([*paragraphs, machine() + ".\n"])


def main():
    parser = common.parser(__doc__, home=True)
    names = ["prostate_ge", "gisette_like"]
    parser.add_argument("--data", nargs="*", choices=names, default=names)
    parser.add_argument("--percentiles", type=float, nargs="+", default=[10, 50, 90])
    parser.add_argument("--recovery", type=int, nargs="*", default=[5000], help="features")
    parser.add_argument(
        "--exact", type=int, nargs="*", default=[], help="more of recovery: an hour"
    )
    parser.add_argument("--growth", type=int, nargs="*", default=[], help="features")
    chosen = parser.parse_args()
    waiting = WAITING / version(Path(__file__).resolve().parents[1])
    table = run(series(chosen), waiting, chosen.home)
    with atomic_write(chosen.to / "many_features.csv") as part:
        table.to_csv(part, index=False)
    with atomic_write(chosen.to / "many_features.md") as part:
        part.write_text(report(table))
    print((chosen.to / "many_features.md").read_text())


if __name__ == "__main__":
    main()
