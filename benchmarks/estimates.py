"""Rows of the table of experiments: measured, estimated from repetitions or from parts of units."""

import json
import subprocess
import sys
import threading
from collections import defaultdict

import numpy as np

from benchmarks.measured import ROOT, environment

#: Stages that a run has once, however many repetitions; the first draw alone is embedded.
ONCE = ("start-up", "tables", "figure", "t-SNE")
WORKERS = 2


def whole_run(done, limit):
    """A row of a finished run, or that it did not finish."""
    if done is None:
        return lower_bound(limit, "it")
    wall, record = done
    return {
        "wall": wall,
        "cpu": record["seconds"]["cpu"],
        "memory": memory(record),
        "units": record["units"]["computed"],
        "stages": {name: spent["seconds"] for name, spent in record["stages"].items()},
        "how": "measured",
    }


def lower_bound(seconds, what):
    """A row where something had not ended by then."""
    return {"wall": seconds, "bound": True, "how": f"lower bound: {what} had not ended then"}


def memory(record):
    """The peak of the largest process."""
    return max(peak or 0 for peak in record["peak_memory"].values())


def from_repetitions(found, config):
    """A row from runs of one repetition each: what grows with them, as often as there are any."""
    n = config.protocol.n_repetitions
    judged = config.protocol.get("judged_draws")

    def times(name):
        if name in ONCE:
            return 1
        return min(n, judged) if name == "SVM" and judged is not None else n

    totals: dict[str, list[float]] = {"wall": [], "cpu": []}
    stages: dict[str, float] = defaultdict(float)
    for wall, record in found:
        spent = {name: two for name, two in record["stages"].items() if name != "idle"}
        grown = sum(times(name) * two["seconds"] for name, two in spent.items() if times(name) > 1)
        once = sum(two["seconds"] for name, two in spent.items() if name in ONCE)
        totals["wall"].append(min(once, wall) + grown / WORKERS)
        totals["cpu"].append(sum(times(name) * two["cpu"] for name, two in spent.items()))
        for name, two in spent.items():
            stages[name] += times(name) * two["seconds"] / len(found)
    m = len(found)
    row = {
        **{name: float(np.mean(values)) for name, values in totals.items()},
        "memory": max(memory(record) for _, record in found),
        "units": f"about {n * found[0][1]['units']['computed']}",
        "stages": dict(stages),
        "how": f"estimated from {m} of {n} repetitions",
    }
    if m > 1:
        row["error"] = {k: float(np.std(v, ddof=1) / np.sqrt(m)) for k, v in totals.items()}
    else:
        row["how"] += ", no standard error"
    return row


def from_parts(config, home, seconds):
    """A row from random scores and cells of the SVM's grid, drawn for so many seconds."""
    command = [sys.executable, "benchmarks/cells.py", config.name, config.profile.name, "0"]
    process = subprocess.Popen(
        [*command, "--home", str(home)],
        cwd=ROOT,
        env=environment() | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    alarm = threading.Timer(seconds, process.terminate)
    alarm.start()
    assert process.stdout is not None
    lines = [json.loads(line) for line in process.stdout if line.endswith("\n")]
    alarm.cancel()
    process.wait()
    if not lines:
        return lower_bound(seconds, "not one part of a unit")
    counts, drawn = lines[0], lines[1:]
    scores, s_errors, unscored = _total(counts["scores"], drawn, "scores")
    svm, v_errors, _ = _total(counts["cells"], drawn, "cell")
    cpu, error = scores + svm, float(np.hypot(s_errors, v_errors))
    n_scores, n_cells = (sum(kind in line for line in drawn) for kind in ("scores", "cell"))
    how = f"estimated from {n_scores} scores and {n_cells} cells of {sum(counts['cells'].values())}"
    if unscored:
        how = f"lower bound: {how}; no scores of {', '.join(unscored)} in the time"
    return {
        "wall": cpu / WORKERS,
        "cpu": cpu,
        "error": {"wall": error / WORKERS, "cpu": error},
        "memory": max(line["memory"] for line in lines),
        "units": counts["units"],
        "stages": {"scores": scores, "SVM": svm},
        "bound": bool(unscored),
        "how": how,
    }


def _total(counts, drawn, kind):
    """Seconds of all parts of a kind, by methods as strata; the standard error; methods not drawn.

    A method that was drawn once, or not at all, takes the spread, or the mean, of all.
    """
    of_method: dict[str, list[float]] = {name: [] for name in counts}
    for line in drawn:
        if line.get(kind) in of_method:
            of_method[line[kind]].append(line["seconds"])
    every = np.concatenate([*of_method.values(), []])
    if not len(every):
        return 0.0, 0.0, list(counts)
    spread = every.std(ddof=1) if len(every) > 1 else every[0]
    total = variance = 0.0
    for name, n in counts.items():
        mine = of_method[name]
        deviation = np.std(mine, ddof=1) if len(mine) > 1 else spread
        total += n * float(np.mean(mine) if mine else 0.0 if kind == "scores" else every.mean())
        variance += (n * float(deviation)) ** 2 / max(1, len(mine))
    return total, float(np.sqrt(variance)), [name for name in counts if not of_method[name]]
