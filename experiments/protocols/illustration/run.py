"""Show what ManiFeSt sees in two classes of images: M, D and the score, pixel by pixel.

What the paper says of its pictures is also measured, by rules that the config states: the share of
the score inside a region, beside the region's share of the area and of the ink, and the correlation
of an eigenvector of M with the average image.
"""

from functools import partial

import numpy as np

from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.engine import seeds
from experiments.engine.keys import Unit, key_of
from experiments.evaluation.samples import dataset, described, source_of
from experiments.protocols.base import Results, Run, operator_candidates
from experiments.protocols.illustration import tables
from experiments.protocols.illustration.units import decompose

#: No row of the summary is better than another.
HEADLINE = None
SUMMARY = ("method", "label", "class_1", "class_2", "geometry", "failed")


def draw(data: Dataset, label: int, n: int, seed: int, number: int) -> np.ndarray:
    """Images of one class, at random, of shape (n, n_pixels).

    They depend on the seed, the label and the number of the draw alone: rows are in canonical
    order, so that any file that holds the whole class gives the same images.
    """
    rows = np.flatnonzero(data.y == label)
    if len(rows) < n:
        valid = ", ".join(str(known) for known in data.label_names)
        raise ConfigError(
            f"{data.name} has {len(rows)} images of class {label}, protocol.n_per_class asks for "
            f"{n}; its classes are {valid}"
        )
    chosen = seeds.generator(seed, "images", label, number).permutation(len(rows))[:n]
    return data.X[rows[chosen]]


def run(run: Run) -> Results:
    """Decompose all pairs and draws of a config, in the method's geometry and the reference's.

    Returns
    -------
    Results
        A row for each image (samples, averages, eigenvectors, scores) with its pixels. The table
        "summary" has a row for each pair and geometry, with means over the draws, "regions" a row
        for each region, and "differences" one for the pixels of each in which the classes differ.
    """
    protocol = run.config.protocol
    cases = _cases(run)
    data = dataset(**source_of(run.config))
    if data.X.shape[1] != np.prod(protocol.shape):
        raise ConfigError(
            f"protocol.shape {list(protocol.shape)} has {np.prod(protocol.shape)} pixels, "
            f"{data.name} has {data.X.shape[1]} features"
        )
    images = {
        (pair, number): np.vstack(
            [draw(data, label, protocol.n_per_class, run.config.seed, number) for label in pair]
        )
        for pair in map(tuple, protocol.pairs)
        for number in range(protocol.n_repetitions)
    }
    labels = np.repeat([0, 1], protocol.n_per_class)
    fingerprints = {key: canonical_rows(drawn, labels)[1] for key, drawn in images.items()}
    units = {
        (position, *key): _unit(images[key], fingerprints[key], parameters, protocol)
        for position, (_, parameters) in enumerate(cases)
        for key in images
    }
    run.complete(list(units.values()), "draws")
    found = {key: run.outcome.rows.get(unit.key) for key, unit in units.items()}
    rows, found_tables = tables.tables(data, cases, images, found, protocol)
    return Results(
        rows=rows,
        tables=found_tables,
        shown=found_tables["summary"].drop(columns=["method", "label", "name_1", "name_2"]),
        data={
            **described(data),
            "drawn": f"{protocol.n_per_class} images of each class, at random from all of its "
            "images, training and test images together, by the seed, the class and the draw",
            "fingerprints": {
                f"{first}, {second}, draw {number}": text
                for ((first, second), number), text in fingerprints.items()
            },
        },
    )


def _unit(images, fingerprint, parameters, protocol):
    arguments = {
        "maximum": protocol.maximum,
        "parameters": parameters,
        "n_mean": protocol.n_mean,
        "n_difference": protocol.n_difference,
    }
    return Unit(
        key_of("illustration", [decompose], images=fingerprint, **arguments),
        partial(decompose, images, **arguments),
    )


def _cases(run):
    """The method in the geometry that is set, and in that of the reference."""
    chosen = operator_candidates(run)
    if len(chosen) != 1:
        raise ConfigError(
            "the illustration protocol shows one method with fixed parameters, got "
            f"{len(chosen)} candidates; fix them, as in method.percentile=50"
        )
    ((method, parameters),) = chosen
    reference = run.config.protocol.reference
    if reference in (None, parameters["geometry"]):
        return chosen
    return [*chosen, (method, {**parameters, "geometry": reference})]
