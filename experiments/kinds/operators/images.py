"""Show M, D and the score of two classes of images, pixel by pixel.

The paper's statements about its pictures are also measured, by rules in the config: the share of
the score inside a region, compared with the region's share of the area and of the ink, and the
correlation of an eigenvector of M with the average image.
"""

from collections.abc import Mapping
from functools import partial
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments import seeds
from experiments.cache import Row, Run, Task, key_of
from experiments.config import ConfigError, check_numbers, plain
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.summary import deviation
from experiments.kinds import base
from experiments.kinds.operators import chosen_of
from experiments.kinds.operators.eigenimages import MAXIMUM, N_MEAN, decompose
from experiments.schemas import ImagesProtocol

#: Numbers of the composition in the row of a score.
NUMBERS = ("scale_1", "scale_2", "rank", "n_ambiguous", "delta")
#: Images of each class that are shown.
N_SAMPLES = 12
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
    regions = {}
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
        regions[name] = region.ravel()
    return regions


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
    shuffled = seeds.generator(seed, "images", label, repetition).permutation(len(rows))
    return data.X[rows[shuffled[:n]]]


class Axes(NamedTuple):
    """What names a picture; samples have no geometry."""

    class_1: int
    class_2: int
    geometry: str
    draw: int


class Pictures:
    """The stored tables of a run, to which pictures are added row by row."""

    def __init__(self, label_names: Mapping[int, str]) -> None:
        self.label_names = label_names
        self.rows: dict[str, list[dict[str, Any]]] = {"rows": [], "eigenvectors": [], "images": []}

    def add(self, table: str, axes: Axes, image: str, pixels: np.ndarray, **numbers: float) -> None:
        """Add a picture to a table."""
        row = {
            **axes._asdict(),
            "image": image,
            "pixels": np.asarray(pixels, float),
            "name_1": self.label_names[axes.class_1],
            "name_2": self.label_names[axes.class_2],
        }
        self.rows[table].append({**row, **numbers})

    def add_samples(self, axes: Axes, label: int, images: np.ndarray) -> None:
        """Add the first images of a class, and the average of all."""
        for number, pixels in enumerate(images[:N_SAMPLES]):
            self.add("images", axes, f"sample_{label}_{number}", pixels)
        self.add("images", axes, f"average_{label}", images.mean(axis=0))

    def add_results(self, axes: Axes, row: Row) -> None:
        """Add the score of a draw and what D shows, and the eigenvectors of the first draw."""
        if axes.draw == 0:
            for operator in ("mean", "difference"):
                values = row[f"{operator}_values"]
                vectors = row[f"{operator}_vectors"]
                for i, (value, vector) in enumerate(zip(values, vectors, strict=True), start=1):
                    self.add("eigenvectors", axes, f"{operator}_{i}", vector, eigenvalue=value)
        numbers = {name: row[name] for name in NUMBERS}
        self.add("rows", axes, "score", row["score"], **numbers)
        # The share of each pixel in the leading eigenvectors of D.
        sizes = np.abs(row["difference_values"])
        weights = sizes / sizes.sum()
        self.add("images", axes, "leading", weights @ row["difference_vectors"] ** 2)


def run(run: Run) -> base.Results:
    """Decompose all pairs and draws of a config."""
    config = run.config
    protocol = config.protocol
    n = protocol.n_per_class
    _, parameters = chosen_of(config)
    data = load_dataset(config)
    n_pixels = data.X.shape[1]
    side = isqrt(n_pixels)
    if side**2 != n_pixels:
        raise ConfigError(f"{data.name} has no square images, but {n_pixels} features")
    masks(protocol, side)
    pictures = Pictures(data.label_names)
    tasks: dict[tuple, Task] = {}
    fingerprints = {}
    for pair in dict.fromkeys(map(tuple, protocol.pairs)):
        first, second = pair
        for repetition in range(protocol.n_repetitions):
            drawn = np.vstack([draw(data, label, n, config.seed, repetition) for label in pair])
            _, fingerprint = canonical_rows(drawn, np.repeat([0, 1], n))
            fingerprints[f"{first}, {second}, draw {repetition}"] = fingerprint
            key = key_of("images", images=fingerprint, parameters=parameters)
            axes = Axes(first, second, parameters["geometry"], repetition)
            tasks[axes] = Task(key, partial(decompose, drawn, parameters))
            if repetition == 0:
                of_samples = axes._replace(geometry="")
                pictures.add_samples(of_samples, first, drawn[:n])
                pictures.add_samples(of_samples, second, drawn[n:])
    for task_axes, row in run.rows_at(tasks, "draws", end=-1).items():
        pictures.add_results(Axes(*task_axes), row)
    about = {
        "drawn": f"{n} images of each class, at random from all of its images, training and test "
        "images together, by the seed, the class and the draw",
        "fingerprints": fingerprints,
    }
    tables = {name: pd.DataFrame(rows) for name, rows in pictures.rows.items()}
    return base.Results(tables, {**described(data), **about})


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return summary, shares of regions, and shares of eigenvectors where the classes differ.

    "summary" has a row for each pair, with means over the draws, "regions" a row for each region,
    and "differences" one for the pixels of each, and of the image, in which the averages of the
    first draw differ. "score" and "leading" are shares of the score and of the leading eigenvectors
    of D, ``sum_i |lambda_i| sum_p phi_i(p)^2 / sum_i |lambda_i|`` over the pixels p.
    """
    protocol = config.protocol
    rows = pd.concat(stored.values())
    method, parameters = chosen_of(config)
    tables: dict[str, list[dict]] = {"summary": [], "regions": [], "differences": []}
    for (first, second), rows_of_pair in rows.groupby(["class_1", "class_2"], sort=False):
        axes = {"class_1": first, "class_2": second, "geometry": parameters["geometry"]}
        row: dict = {"method": method.name, "label": method.label, **axes}
        for name in ("name_1", "name_2"):
            row[name] = rows_of_pair[name].iloc[0]
        images = rows_of_pair.groupby("image")
        pictures = {name: np.array(pixels.to_list()) for name, pixels in images["pixels"]}
        if "score" not in pictures:
            tables["summary"].append({**row, "failed": True})
            continue
        average_1 = pictures[f"average_{first}"][0]
        average_2 = pictures[f"average_{second}"][0]
        ink = average_1 + average_2
        gap = np.abs(average_1 - average_2)
        draws = {"n_draws": len(pictures["score"])}
        numbers = images.get_group("score")[list(NUMBERS)].mean()
        row = {**row, **draws, **numbers.to_dict()}
        for i in range(1, N_MEAN + 1):
            correlations = np.corrcoef(pictures[f"mean_{i}"][0], ink)
            row[f"mean_{i}_ink_correlation"] = correlations[0, 1]
        tables["summary"].append({**row, "failed": False})
        for name, region in _regions_of([first, second], protocol, len(ink)).items():
            head = {**axes, "region": name}
            least = ON_IMAGE if name == "image" else IN_REGION
            differ = region & (gap > least * gap.max())
            leading = _shares("leading", pictures, differ, ink)
            row = {**head, "n_pixels": differ.sum(), **leading, **draws}
            tables["differences"].append(row)
            if name != "image":
                rectangles = [",".join(map(str, edges)) for edges in protocol.regions[name]]
                score = _shares("score", pictures, region, ink)
                tables["regions"].append({**head, "rectangles": " ".join(rectangles), **score})
    return {name: pd.DataFrame(rows) for name, rows in tables.items()}


def _regions_of(pair: list[Any], protocol: DictConfig, n_pixels: int) -> dict[str, np.ndarray]:
    """Return the regions that are measured on a pair, after the whole image."""
    regions = {"image": np.ones(n_pixels, dtype=bool)}
    if protocol.region_pairs is None or pair in plain(protocol.region_pairs):
        regions |= masks(protocol, isqrt(n_pixels))
    return regions


def _shares(
    name: str, pictures: Mapping[Any, np.ndarray], chosen: np.ndarray, ink: np.ndarray
) -> dict[str, float]:
    """Return the share of some pixels of the area, the ink and a picture, a mean over the draws."""
    shares = np.array([pixels[chosen].sum() / pixels.sum() for pixels in pictures[name]])
    return {
        "area": chosen.mean(),
        "ink": ink[chosen].sum() / ink.sum(),
        name: shares.mean(),
        f"{name}_std": deviation(shares),
    }


KIND = base.Kind(ImagesProtocol, check, run, tables)
