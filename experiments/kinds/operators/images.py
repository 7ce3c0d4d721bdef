"""Show M, D and the score of two classes of images, pixel by pixel.

The paper's statements about its pictures are also measured, by rules in the config: the share of
the score inside a region, compared with the region's share of the area and of the ink, and the
correlation of an eigenvector of M with the average image.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product
from math import isqrt
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments import seeds
from experiments.cache import Run, Task, key_of
from experiments.config import ConfigError, check_numbers, plain
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.methods import Method, resolve
from experiments.evaluation.summary import deviation
from experiments.kinds import base
from experiments.kinds.operators import operator_candidates
from experiments.kinds.operators.eigenimages import decompose
from experiments.schemas import ImagesProtocol

#: Numbers of the composition in the row of a score.
NUMBERS = ("scale_1", "scale_2", "rank", "n_ambiguous", "delta")
#: Images of each class, eigenvectors of M and of D that are shown.
N_SAMPLES, N_MEAN, N_DIFFERENCE = 12, 2, 4
#: The value of a pixel that becomes 1.
MAXIMUM = 255.0
#: The leading eigenvectors of D are measured on pixels where the averages of the classes differ by
#: more than a share of the largest difference: the first share on the image, the second in a
#: region. 0.1 leaves at least 18 pixels in each region that the paper names.
ON_IMAGE, IN_REGION = 0.5, 0.1


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless pairs and counts make sense."""
    protocol = config.protocol
    pairs = [list(pair) for pair in protocol.pairs]
    if not pairs or any(len(set(pair)) != 2 or len(pair) != 2 for pair in pairs):
        raise ConfigError(
            f"protocol.pairs must be pairs of different class labels, such as [[4, 9]], got {pairs}"
        )
    check_numbers(config, n_per_class=N_SAMPLES)
    if config.dataset.scaling != "none":
        raise ConfigError(
            f"the protocol {protocol.kind} divides pixels by {MAXIMUM:g}; dataset.scaling must be "
            f"none, got {config.dataset.scaling}"
        )
    unknown = [list(pair) for pair in protocol.region_pairs or [] if pair not in pairs]
    if unknown:
        raise ConfigError(f"protocol.region_pairs {unknown} are not among protocol.pairs {pairs}")


def masks(protocol: DictConfig, side: int) -> dict[str, np.ndarray]:
    """Return a boolean mask of the pixels of each region of a square image.

    Raises
    ------
    ConfigError
        If a rectangle does not lie in the image.
    """
    found = {}
    for name, rectangles in protocol.regions.items():
        region = np.zeros((side, side), dtype=bool)
        for edges in rectangles:
            top, bottom, left, right = edges if len(edges) == 4 else (-1,) * 4
            if not (0 <= top <= bottom < side and 0 <= left <= right < side):
                raise ConfigError(
                    f"protocol.regions.{name}: a rectangle is [first row, last row, first column, "
                    f"last column] inside {side} x {side}, got {edges}"
                )
            region[top : bottom + 1, left : right + 1] = True
        found[name] = region.ravel()
    return found


def draw(data: Dataset, label: int, n: int, seed: int, repetition: int) -> np.ndarray:
    """Draw images of one class at random, of shape (n, n_pixels).

    They depend only on the seed, the label and the repetition. Rows are in canonical
    order, so that any file with the whole class gives the same images.
    """
    rows = np.flatnonzero(data.y == label)
    if len(rows) < n:
        valid = ", ".join(str(known) for known in data.label_names)
        raise ConfigError(
            f"{data.name} has {len(rows)} images of class {label}, protocol.n_per_class asks for "
            f"{n}; its classes are {valid}"
        )
    chosen = seeds.generator(seed, "images", label, repetition).permutation(len(rows))[:n]
    return data.X[rows[chosen]]


def chosen_of(methods: Sequence[Method], protocol: DictConfig) -> tuple[Method, dict[str, Any]]:
    """Return the only method with its only candidate; a ConfigError if there are more."""
    chosen = operator_candidates(methods, protocol.kind)
    if len(chosen) != 1:
        raise ConfigError(
            f"the protocol {protocol.kind} shows one method with fixed parameters, got "
            f"{len(chosen)} candidates; fix them, as in method.percentile=50"
        )
    return chosen[0]


def run(run: Run) -> base.Results:
    """Decompose all pairs and draws of a config."""
    protocol, seed, n = run.config.protocol, run.config.seed, run.config.protocol.n_per_class
    parameters, data = chosen_of(resolve(run.config), protocol)[1], load_dataset(run.config)
    side = isqrt(data.X.shape[1])
    if side**2 != data.X.shape[1]:
        raise ConfigError(f"{data.name} has no square images, but {data.X.shape[1]} features")
    masks(protocol, side)
    tasks, fingerprints = {}, {}
    stored: dict[str, list[dict[str, Any]]] = {"rows": [], "eigenvectors": [], "images": []}

    def add(table, pair, i, geometry, name, pixels, **more):
        axes = {"class_1": pair[0], "class_2": pair[1], "geometry": geometry, "draw": i}
        names = {f"name_{i}": data.label_names[label] for i, label in enumerate(pair, start=1)}
        image = {"image": name, "pixels": np.asarray(pixels, float)}
        stored[table].append({**axes, **image, **names, **more})

    options: dict[str, Any] = {"maximum": MAXIMUM, "n_mean": N_MEAN, "n_difference": N_DIFFERENCE}
    options["parameters"] = parameters
    pairs = dict.fromkeys(map(tuple, protocol.pairs))
    for pair, i in product(pairs, range(protocol.n_repetitions)):
        drawn = np.vstack([draw(data, label, n, seed, i) for label in pair])
        fingerprint = canonical_rows(drawn, np.repeat([0, 1], n))[1]
        fingerprints[f"{pair[0]}, {pair[1]}, draw {i}"] = fingerprint
        key = key_of("images", images=fingerprint, **options)
        tasks[pair, i] = Task(key, partial(decompose, drawn, **options))
        for label, several in zip(pair, np.split(drawn, 2), strict=True) if i == 0 else ():
            for number, one in enumerate(several[:N_SAMPLES]):
                add("images", pair, i, "", f"sample_{label}_{number}", one)
            add("images", pair, i, "", f"average_{label}", several.mean(axis=0))
    for (pair, i), row in run.rows_at(tasks, "draws", end=-1).items():
        at = (pair, i, parameters["geometry"])
        values, vectors = row["difference_values"], row["difference_vectors"]
        if i == 0:
            mean = row["mean_values"], row["mean_vectors"]
            for name, eigenpairs in {"mean": mean, "difference": (values, vectors)}.items():
                for number, (value, vector) in enumerate(zip(*eigenpairs, strict=True), start=1):
                    add("eigenvectors", *at, f"{name}_{number}", vector, eigenvalue=value)
        add("rows", *at, "score", row["score"], **{name: row[name] for name in NUMBERS})
        # The share of each pixel in the leading eigenvectors of D.
        weights = np.abs(values) / np.abs(values).sum()
        add("images", *at, "leading", weights @ vectors**2)
    about = {
        "drawn": f"{n} images of each class, at random from all of its images, training and test "
        "images together, by the seed, the class and the draw",
        "fingerprints": fingerprints,
    }
    tables = {name: pd.DataFrame(rows) for name, rows in stored.items()}
    return base.Results(tables, {**described(data), **about})


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return summary, shares of regions, and shares of eigenvectors where the classes differ.

    "summary" has a row for each pair, with means over the draws, "regions" a row for each region,
    and "differences" one for the pixels of each, and of the image, in which the averages of the
    first draw differ. "score" and "leading" are shares of the score and of the leading eigenvectors
    of D, ``sum_i |lambda_i| sum_p phi_i(p)^2 / sum_i |lambda_i|`` over the pixels p.
    """
    protocol, rows = config.protocol, pd.concat(stored.values())
    method, parameters = chosen_of(resolve(config), protocol)
    found: dict[str, list[dict]] = {"summary": [], "regions": [], "differences": []}
    for pair, of_pair in rows.groupby(["class_1", "class_2"], sort=False):
        images = of_pair.groupby("image")
        pictures = {name: np.array(part["pixels"].to_list()) for name, part in images}
        axes = {"class_1": pair[0], "class_2": pair[1], "geometry": parameters["geometry"]}
        names = {name: of_pair[name].iloc[0] for name in ("name_1", "name_2")}
        row = {"method": method.name, "label": method.label, **axes, **names}
        if "score" not in pictures:
            found["summary"].append({**row, "failed": True})
            continue
        averages = [pictures[f"average_{label}"][0] for label in pair]
        ink, gap = sum(averages), np.abs(averages[0] - averages[1])
        correlations = {
            f"mean_{i}_ink_correlation": np.corrcoef(pictures[f"mean_{i}"][0], ink)[0, 1]
            for i in range(1, N_MEAN + 1)
        }
        numbers = images.get_group("score")[list(NUMBERS)].mean().to_dict()
        draws = {"n_draws": len(pictures["score"])}
        found["summary"].append({**row, **draws, **numbers, **correlations, "failed": False})
        of_regions = masks(protocol, isqrt(len(gap)))
        if protocol.region_pairs is not None and list(pair) not in plain(protocol.region_pairs):
            of_regions = {}
        for name, region in {"image": np.ones(len(gap), dtype=bool), **of_regions}.items():
            head, least = {**axes, "region": name}, ON_IMAGE if name == "image" else IN_REGION
            differ = region & (gap > least * gap.max())
            n_pixels, leading = differ.sum(), _shares("leading", pictures, differ, ink)
            found["differences"].append({**head, "n_pixels": n_pixels, **leading, **draws})
            if name != "image":
                rectangles = [",".join(map(str, edges)) for edges in protocol.regions[name]]
                score = _shares("score", pictures, region, ink)
                found["regions"].append({**head, "rectangles": " ".join(rectangles), **score})
    return {name: pd.DataFrame(table) for name, table in found.items()}


def _shares(name, pictures, chosen, ink) -> dict[str, float]:
    """Return the share of some pixels of the area, the ink and a picture, a mean over the draws."""
    shares = np.array([pixels[chosen].sum() / pixels.sum() for pixels in pictures[name]])
    area, of_ink = chosen.mean(), ink[chosen].sum() / ink.sum()
    return {"area": area, "ink": of_ink, name: shares.mean(), f"{name}_std": deviation(shares)}


KIND = base.Kind(ImagesProtocol, check, run, tables)
