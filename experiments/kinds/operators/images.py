"""Two classes of images as ManiFeSt sees them: M, D and the score, pixel by pixel.

The statements of the paper on its pictures are also measured, by rules in the config: the share of
the score inside a region, beside the region's share of the area and of the ink, and the correlation
of an eigenvector of M with the average image.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.config import ConfigError, ProtocolConfig, plain
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.eigenimages import decompose
from experiments.evaluation.methods import Method, resolve
from experiments.evaluation.summary import deviation
from experiments.kinds import base
from experiments.kinds.operators import operator_candidates
from manifest.ranking import best_first

#: The columns that name a task.
TASK_AXES = ["class_1", "class_2", "geometry", "draw"]
#: Numbers of the composition, which the row of a score has.
NUMBERS = ("scale_1", "scale_2", "rank", "n_ambiguous", "delta")


@dataclass
class Schema(ProtocolConfig):
    """Pairs of classes of images, contents of the pictures, and regions to measure the score in."""

    kind: str = "images"
    #: Class labels, [class 1, class 2] each.
    pairs: list[list[int]] = field(default_factory=list)
    #: Images of each class, drawn at random; a draw for each repetition, the first one shown.
    n_per_class: int = 1500
    #: Rows and columns of an image, and the value that becomes 1.
    shape: list[int] = field(default_factory=lambda: [28, 28])
    maximum: float = 255.0
    #: Images of each class, eigenvectors of M and of D that are shown.
    n_samples: int = 12
    n_mean: int = 2
    n_difference: int = 4
    #: A second geometry to compare the score with; none if null.
    reference: str | None = "regularized"
    #: Number of the best pixels that are compared.
    n_top: int = 100
    #: Name -> rectangles [first row, last row, first column, last column], counted from 0.
    regions: dict[str, Any] = field(default_factory=dict)
    #: The pairs that these regions were read off; all pairs if null.
    region_pairs: list[list[int]] | None = None
    #: The leading eigenvectors of D are measured on pixels where the averages of the classes differ
    #: by more than a share of the largest difference: the first share on the image, the second in a
    #: region. 0.1 leaves at least 18 pixels in each region that the paper names.
    main_share: float = 0.5
    difference_share: float = 0.1


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless pairs, counts and rectangles make sense."""
    protocol = config.protocol
    pairs = [list(pair) for pair in protocol.pairs]
    if not pairs or any(len(set(pair)) != 2 or len(pair) != 2 for pair in pairs):
        raise ConfigError(
            f"protocol.pairs must be pairs of different class labels, such as [[4, 9]], got {pairs}"
        )
    base.check_numbers(config, n_samples=1, n_mean=1, n_difference=1, n_top=1)
    base.check_numbers(config, n_per_class=max(2, protocol.n_samples))
    if config.dataset.scaling != "none":
        raise ConfigError(
            f"the protocol {protocol.kind} divides pixels by protocol.maximum; dataset.scaling "
            f"must be none, got {config.dataset.scaling}"
        )
    unknown = [list(pair) for pair in protocol.region_pairs or [] if pair not in pairs]
    if unknown:
        raise ConfigError(f"protocol.region_pairs {unknown} are not among protocol.pairs {pairs}")
    for key in ("main_share", "difference_share"):
        if not 0 <= protocol[key] < 1:
            raise ConfigError(
                f"protocol.{key} is a share of the largest difference, at least 0 and below 1, got "
                f"{protocol[key]}"
            )
    base.check_rectangle(config)
    for name, rectangles in plain(protocol.regions).items():
        for edges in rectangles if isinstance(rectangles, list) else [rectangles]:
            if not _is_inside(edges, *protocol.shape):
                height, width = protocol.shape
                raise ConfigError(
                    f"protocol.regions.{name}: a rectangle is [first row, last row, first column, "
                    f"last column] inside {height} x {width}, got {edges}"
                )


def _is_inside(edges, height: int, width: int) -> bool:
    if not isinstance(edges, list) or [type(edge) for edge in edges] != [int] * 4:
        return False
    top, bottom, left, right = edges
    return 0 <= top <= bottom < height and 0 <= left <= right < width


def draw(data: Dataset, label: int, n: int, seed: int, repetition: int) -> np.ndarray:
    """Images of one class, at random, of shape (n, n_pixels).

    They depend on the seed, the label and the repetition alone: rows are in canonical
    order, so that any file that holds the whole class gives the same images.
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


def cases_of(methods: Sequence[Method], protocol: DictConfig) -> tuple[Method, dict[str, dict]]:
    """The method, and its parameters in the geometry that is set and in that of the reference."""
    chosen = operator_candidates(methods, protocol.kind)
    if len(chosen) != 1:
        raise ConfigError(
            f"the protocol {protocol.kind} shows one method with fixed parameters, got "
            f"{len(chosen)} candidates; fix them, as in method.percentile=50"
        )
    ((method, parameters),) = chosen
    geometries = [parameters["geometry"], protocol.reference or parameters["geometry"]]
    return method, {name: {**parameters, "geometry": name} for name in geometries}


def tasks_of(
    run: base.Run,
) -> tuple[dict[tuple, Task], Dataset, dict[tuple, np.ndarray], dict[tuple, str]]:
    """The task of each pair, geometry and draw, by TASK_AXES; the data set, images, fingerprints.

    Images and fingerprints are by class 1, class 2 and draw.
    """
    protocol, seed = run.config.protocol, run.config.seed
    _, cases = cases_of(run.methods, protocol)
    data = load_dataset(run.config)
    base.check_shape(run.config, data)
    n, y = protocol.n_per_class, np.repeat([0, 1], protocol.n_per_class)
    options = {name: protocol[name] for name in ("maximum", "n_mean", "n_difference")}
    tasks, images, fingerprints = {}, {}, {}
    for *pair, i in ((*pair, i) for pair in protocol.pairs for i in range(protocol.n_repetitions)):
        drawn = np.vstack([draw(data, label, n, seed, i) for label in pair])
        images[*pair, i], fingerprints[*pair, i] = drawn, canonical_rows(drawn, y)[1]
        for geometry, parameters in cases.items():
            known = {**options, "parameters": parameters}
            key = key_of("images", images=fingerprints[*pair, i], **known)
            tasks[*pair, geometry, i] = Task(key, partial(decompose, drawn, **known))
    return tasks, data, images, fingerprints


def run(run: base.Run) -> base.Results:
    """Decompose all pairs and draws of a config, in the method's geometry and the reference's."""
    protocol = run.config.protocol
    tasks, data, images, fingerprints = tasks_of(run)
    done = run.rows_at(tasks, "draws", end=-1)
    rows: list[dict[str, Any]] = []
    for pair in dict.fromkeys(map(tuple, protocol.pairs)):
        own = samples_of(pair, images[*pair, 0], protocol.n_samples)
        for i in range(protocol.n_repetitions):
            own.append(picture((*pair, "", i), "blank", (images[*pair, i] == 0).all(axis=0)))
        own += [row for at in done if at[:2] == pair for row in pictures_of(at, done[at])]
        names = {f"name_{i}": data.label_names[label] for i, label in enumerate(pair, start=1)}
        rows += [{**row, **names} for row in own]
    about = {
        "drawn": f"{protocol.n_per_class} images of each class, at random from all of its images, "
        "training and test images together, by the seed, the class and the draw",
        "fingerprints": {
            f"{first}, {second}, draw {i}": text
            for (first, second, i), text in fingerprints.items()
        },
    }
    return base.Results(stored_as(pd.DataFrame(rows)), {**described(data), **about})


def stored_as(pictures: pd.DataFrame) -> base.Tables:
    """The tables of the pictures of a run: the scores as "rows", "eigenvectors" and "images"."""
    if "delta" not in pictures:  # Every task has failed.
        return {"rows": pd.DataFrame(), "images": pictures}
    is_score, is_vector = pictures["image"].eq("score"), pictures["eigenvalue"].notna()
    return {
        "rows": pictures[is_score].drop(columns="eigenvalue"),
        "eigenvectors": pictures[is_vector].drop(columns=list(NUMBERS)),
        "images": pictures[~is_score & ~is_vector].drop(columns=["eigenvalue", *NUMBERS]),
    }


def picture(axes: tuple, name: str, pixels, eigenvalue=np.nan, **numbers) -> dict[str, Any]:
    """A row with an image, by the values of TASK_AXES; the geometry of samples is empty."""
    image = {"image": name, "eigenvalue": eigenvalue, "pixels": np.asarray(pixels, float)}
    return {**dict(zip(TASK_AXES, axes, strict=True)), **image, **numbers}


def samples_of(pair: tuple, images: np.ndarray, n: int) -> list[dict[str, Any]]:
    """The first images of two classes, and the average of all."""
    axes, rows = (*pair, "", 0), []
    for label, several in zip(pair, np.split(images, 2), strict=True):
        rows += [picture(axes, f"sample_{label}_{i}", one) for i, one in enumerate(several[:n])]
        rows.append(picture(axes, f"average_{label}", several.mean(axis=0)))
    return rows


def pictures_of(axes: tuple, row: Row) -> list[dict[str, Any]]:
    """The rows of a task: eigenvectors if it is the first draw, the score, and "leading".

    The last is the share of each pixel in the leading eigenvectors of D,
    ``sum_i |lambda_i| phi_i^2 / sum_i |lambda_i|``.
    """
    rows = []
    (differences,), (vectors,) = row["difference_values"], row["difference_vectors"]
    if axes[-1] == 0:
        pairs = {"mean": (row["mean_values"], row["mean_vectors"])}
        pairs["difference"] = (differences, vectors)
        rows += [
            picture(axes, f"{name}_{i}", vector, value)
            for name, eigenpairs in pairs.items()
            for i, (value, vector) in enumerate(zip(*eigenpairs, strict=True), start=1)
        ]
    rows.append(picture(axes, "score", row["score"], **{name: row[name] for name in NUMBERS}))
    values = np.abs(differences)
    return [*rows, picture(axes, "leading", values @ vectors**2 / values.sum())]


#: (geometry, image) -> its pixels in each draw, of shape (n_draws, n_pixels).
Pictures = dict[tuple, np.ndarray]


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Summary, shares of regions, and what eigenvectors show where the classes differ.

    "summary" has a row for each pair and geometry, with means over the draws, "regions" a row for
    each region, and "differences" one for the pixels of each in which the classes differ.
    """
    protocol, rows = config.protocol, pd.concat(stored.values())
    method, cases = cases_of(resolve(config), protocol)
    summary, regions, differences = [], [], []
    for (first, second), of_pair in rows.groupby(["class_1", "class_2"], sort=False):
        images = of_pair.groupby(["geometry", "image"])
        pictures = {key: np.array(part["pixels"].to_list()) for key, part in images}
        averages = [pictures["", f"average_{label}"][0] for label in (first, second)]
        masks = _masks(protocol, [first, second])
        for geometry in cases:
            axes = {"class_1": first, "class_2": second, "geometry": geometry}
            names = {name: of_pair[name].iloc[0] for name in ("name_1", "name_2")}
            row = {"method": method.name, "label": method.label, **axes, **names}
            if (geometry, "score") not in pictures:
                summary.append({**row, "failed": True})
                continue
            scores = images.get_group((geometry, "score"))
            numbers = {name: float(scores[name].mean()) for name in NUMBERS}
            inside = _in_regions(pictures, geometry, averages, masks, protocol)
            regions += [{**axes, **region} for region in inside]
            differences += [
                {**axes, **region, "n_ambiguous": numbers["n_ambiguous"]}
                for region in _differences(pictures, geometry, averages, masks, protocol)
            ]
            shares = {
                f"{region['region']}_{share}": region[share]
                for region in inside
                for share in ("area", "score")
            }
            facts = _facts(pictures, geometry, list(cases)[-1], averages, numbers, protocol)
            summary.append({**row, **facts, **shares, "failed": False})
    tables = {"summary": summary, "regions": regions, "differences": differences}
    return {name: pd.DataFrame(table) for name, table in tables.items()}


def _facts(pictures: Pictures, geometry, reference, averages, numbers, protocol):
    """One row of the summary: means over the draws; eigenvectors are those of the first."""
    n_top, scores, blank = protocol.n_top, pictures[geometry, "score"], pictures["", "blank"] > 0
    best, other = (
        [set(best_first(score)[:n_top].tolist()) for score in pictures.get((name, "score"), ())]
        for name in (geometry, reference)
    )
    common = {
        "top_as_reference": list(zip(best, other, strict=True)) if other else [],
        "top_between_draws": list(combinations(best, 2)),
    }
    means = [pictures[geometry, f"mean_{i}"][0] for i in range(1, protocol.n_mean + 1)]
    return {
        "n_per_class": protocol.n_per_class,
        "n_draws": len(scores),
        **numbers,
        "blank_pixels": blank.sum(axis=1).mean(),
        "blank_score": np.mean([_share(*each) for each in zip(scores, blank, strict=True)]),
        "n_top": n_top,
        **{
            name: np.mean([len(one & another) for one, another in several]) if several else np.nan
            for name, several in common.items()
        },
        **{
            f"mean_{i}_ink_correlation": np.corrcoef(vector, sum(averages))[0, 1]
            for i, vector in enumerate(means, start=1)
        },
    }


def _share(values, chosen):
    return values[chosen].sum() / values.sum()


def _masks(protocol: DictConfig, pair: list) -> dict[str, np.ndarray]:
    """Region of a pair of classes -> a boolean for each pixel, true inside."""
    masks: dict[str, np.ndarray] = {}
    if protocol.region_pairs is not None and pair not in plain(protocol.region_pairs):
        return masks
    for name, rectangles in protocol.regions.items():
        region = np.zeros(protocol.shape, dtype=bool)
        for top, bottom, left, right in rectangles:
            region[top : bottom + 1, left : right + 1] = True
        masks[name] = region.ravel()
    return masks


def _differences(pictures: Pictures, geometry, averages, masks, protocol):
    """The share of the leading eigenvectors of D that lies where the classes differ, on average.

    There is a row for the image and one for each region. "leading" is
    ``sum_i |lambda_i| sum_p phi_i(p)^2 / sum_i |lambda_i|`` over pixels p where the averages of the
    first draw differ by more than the share, as a mean over the draws.
    """
    gap = np.abs(averages[0] - averages[1])
    rows = []
    for name, region in {"image": np.ones(len(gap), dtype=bool), **masks}.items():
        least = protocol.main_share if name == "image" else protocol.difference_share
        chosen = region & (gap > least * gap.max())
        shares = np.array([pixels[chosen].sum() for pixels in pictures[geometry, "leading"]])
        rows.append(
            {
                "region": name,
                "difference_share": least,
                "n_pixels": chosen.sum(),
                "area": chosen.mean(),
                "ink": _share(sum(averages), chosen),
                "n_vectors": protocol.n_difference,
                "leading": shares.mean(),
                "leading_std": deviation(shares),
                "n_draws": len(shares),
            }
        )
    return rows


def _in_regions(pictures: Pictures, geometry, averages, masks, protocol):
    """One row for each region: its shares of area, ink, score and eigenvectors."""
    vectors = {
        name: pictures[geometry, name][0]
        for name in (f"difference_{i}" for i in range(1, protocol.n_difference + 1))
    }
    rows = []
    for name, chosen in masks.items():
        rectangles = [",".join(map(str, edges)) for edges in protocol.regions[name]]
        shares = np.array([_share(score, chosen) for score in pictures[geometry, "score"]])
        rows.append(
            {
                "region": name,
                "rectangles": " ".join(rectangles),
                "area": chosen.mean(),
                "ink": _share(sum(averages), chosen),
                "score": shares.mean(),
                "score_std": deviation(shares),
                "score_to_area": shares.mean() / chosen.mean(),
                **{name: _share(vector**2, chosen) for name, vector in vectors.items()},
            }
        )
    return rows


KIND = base.Kind(Schema, check, run, tables)
