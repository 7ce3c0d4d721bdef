"""Judge rankings by the relevant features among the best, on samples drawn anew each time.

The parameters of a method are tuned to the most correct selections over all draws, as the paper
does where the relevant features are known: its results are the best that each method can reach.
"""

from functools import partial

import numpy as np
import pandas as pd

from baselines import min_max
from experiments import seeds
from experiments.config import plain
from experiments.datasets import generate
from experiments.methods import Method, Parameters, text
from experiments.protocols.common import Results, Run
from experiments.protocols.scoring import score_and_ambiguity
from experiments.ranking import rank
from experiments.statistics import mean_interval
from experiments.store import Row, Unit, canonical, key_of


def judge(
    seed: int, dataset: str, params: dict, draw: int, method: Method, parameters: Parameters
) -> Row:
    """Draw a sample, score its features and count the relevant ones among as many best."""
    axes = (dataset, canonical(params), draw)
    sample = generate(dataset, seeds.generator(seed, "sample", *axes), **params)
    scores, ambiguous = score_and_ambiguity(method, sample.X, sample.y, parameters)
    best = rank(scores, seeds.generator(seed, "ties", *axes))[: len(sample.relevant)]
    return {
        "scores": scores,
        "correct": len(set(best.tolist()) & set(sample.relevant)),
        "ambiguous": ambiguous,
    }


def run(run: Run) -> Results:
    """All methods, candidates and draws of a config; tuned, summarised.

    Returns
    -------
    Results
        Tables "summary" (a row a method) and "features" (a row a method and feature: mean and
        standard deviation of the scores, normalised to [0, 1] in each draw).
    """
    config = run.config
    params = plain(config.dataset.params)
    draws = range(config.protocol.n_repetitions)

    def units(method, parameters):
        return [
            Unit(
                key_of(
                    "recovery",
                    seed=config.seed,
                    dataset=config.dataset.name,
                    params=params,
                    draw=draw,
                    method=method.identity(parameters),
                ),
                partial(judge, config.seed, config.dataset.name, params, draw, method, parameters),
            )
            for draw in draws
        ]

    independent = [part for m in run.methods for part in m.prerequisites() or [m]]
    run.complete([u for m in independent for p in m.candidates() for u in units(m, p)], "draws")
    staged = [(method, _stage(run, method, units)) for method in run.methods]
    rows, summary, features = [], [], []
    for method, candidates in staged:
        judged = _judged(run, method, candidates, units)
        if not judged:
            summary.append({"method": method.name, "label": method.label, "failed": True})
            continue
        best = _best(judged)
        for number, (parameters, found) in enumerate(judged):
            for draw, row in zip(draws, found, strict=True):
                rows.append(
                    {
                        "method": method.name,
                        "parameters": text(parameters),
                        "tuned": number == best,
                        "draw": draw,
                        "correct": row["correct"],
                        "ambiguous": row["ambiguous"],
                        "scores": row["scores"],
                    }
                )
        parameters, found = judged[best]
        correct = [row["correct"] for row in found]
        low, high = mean_interval(correct)
        summary.append(
            {
                "method": method.name,
                "label": method.label,
                "parameters": text(parameters),
                "correct": np.mean(correct),
                "std": np.std(correct, ddof=1) if len(correct) > 1 else np.nan,
                "ci_low": low,
                "ci_high": high,
                "n_draws": len(correct),
                "n_ambiguous": sum(row["ambiguous"] for row in found),
                "failed": False,
            }
        )
        scaled = np.array([min_max(row["scores"]) for row in found])
        features.append(
            pd.DataFrame(
                {
                    "method": method.name,
                    "feature": np.arange(1, scaled.shape[1] + 1),
                    "mean": scaled.mean(axis=0),
                    "std": scaled.std(axis=0),
                }
            )
        )
    table = pd.DataFrame(summary)
    return Results(
        rows=pd.DataFrame(rows),
        tables={"summary": table, "features": pd.concat(features) if features else pd.DataFrame()},
        shown=table.drop(columns=["method", "n_ambiguous"], errors="ignore"),
        data={"name": config.dataset.name, "params": params, "generated": True},
    )


def _judged(run, method, candidates, units):
    """The candidates whose draws are all done, each with its rows."""
    return [(p, found) for p in candidates if (found := run.rows(units(method, p)))]


def _best(judged) -> int:
    """The candidate with the most correct selections, the first where several tie."""
    return int(np.argmax([np.mean([row["correct"] for row in found]) for _, found in judged]))


def _stage(run, method, units):
    """Complete a method's units, parts that are tuned alone first; return its candidates."""
    tuned = {}
    for part in method.prerequisites():
        candidates = _stage(run, part, units)
        judged = _judged(run, part, candidates, units)
        if judged:
            tuned.update(judged[_best(judged)][0])
    candidates = method.with_tuned(tuned).candidates()
    run.complete([unit for p in candidates for unit in units(method, p)], method.label)
    return candidates
