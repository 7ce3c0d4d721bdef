"""What a split takes of a method under a reading: its parameters, number of features, SVM cell."""

from experiments.evaluation.methods import Method, Parameters
from experiments.evaluation.scoring import FLAGS
from experiments.evaluation.selection import choose, choose_by_training
from experiments.protocols.accuracy import tables
from experiments.protocols.accuracy.judgements import AccuracyUnits


def tuned(units: AccuracyUnits, method: Method, share: float, split: int, reading: str, *columns):
    """What a split takes of a method: an :class:`tables.SplitChoice`; None if all failed."""
    judged = [
        (parameters, *arrays)
        for parameters in method.candidates()
        if (arrays := units.arrays(method, parameters, share, split, reading, *columns)) is not None
    ]
    if not judged:
        return None
    _, inside, tests, rows = zip(*judged, strict=True)
    if reading == "icml":
        choice = choose_by_training(inside, [units.shaped(row["train"]) for row in rows], tests)
    else:
        choice = choose(inside, tests)
    return tables.SplitChoice(
        choice,
        [
            tables.Candidate(
                judged[c][0], rows[c]["order"], {flag: rows[c][flag] for flag in FLAGS}
            )
            for c in choice.candidates
        ],
    )


def with_all_features(units: AccuracyUnits, stages: dict, split: int, reading: str):
    """What the SVM does on all features: any method's largest subset, where it is all of them."""
    if units.n_features not in units.sizes:
        return None
    for (_, share, *at), method in stages.items():
        if method is None or at != [split, reading]:
            continue
        for parameters in method.candidates():
            found = units.arrays(method, parameters, share, split, reading)
            if found is not None:
                inside, test, _ = found
                return choose([inside[-1:]], [test[-1:]])
    return None


def ready(
    units: AccuracyUnits, method: Method, share: float, split: int, reading: str
) -> Method | None:
    """The method with what is tuned alone fixed as this split tunes it; None if that failed."""
    fixed: Parameters = {}
    for part in method.prerequisites():
        # A part has one value for all numbers of features, so that "icml" needs no further units.
        found = tuned(units, part, share, split, "paper" if reading == "icml" else reading)
        if found is None:
            return None
        fixed.update(found.own.parameters)
    return method.with_tuned(fixed)
