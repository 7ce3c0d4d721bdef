"""Show M, D and the score of two classes of images, pixel by pixel.

The paper's statements about its pictures are also measured, by rules in the config: the share of
the score inside a region, compared with the region's share of the area and of the ink, and the
correlation of an eigenvector of M with the average image.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments import seeds
from experiments.cache import Task, key_of
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

#: Numbers of the composition in the row of a score.
NUMBERS = ("scale_1", "scale_2", "rank", "n_ambiguous", "delta")


@dataclass
class ImagesProtocol(ProtocolConfig):
    """Pairs of classes of images, contents of the pictures, and regions to measure the score in."""

    kind: str = "images"
    #: Class labels, [class 1, class 2] each.
    pairs: list[list[int]] = field(default_factory=list)
    #: Number of random images of each class; each repetition is a draw, and the first is shown.
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
    #: The pairs for which these regions were chosen; all pairs if null.
    region_pairs: list[list[int]] | None = None
    #: The leading eigenvectors of D are measured on pixels where the averages of the classes differ
    #: by more than a share of the largest difference: the first share on the image, the second in a
    #: region. 0.1 leaves at least 18 pixels in each region that the paper names.
    main_share: float = 0.5
    difference_share: float = 0.1


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless pairs, counts and rectangles make sense."""
    protocol = config.protocol
    pairs, regions = [list(pair) for pair in protocol.pairs], plain(protocol.regions)
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
    base.check_rectangle(config)
    height, width = protocol.shape
    for name, rectangles in regions.items():
        try:
            rows, columns = np.array(rectangles, dtype=int).reshape(-1, 2, 2).transpose(1, 0, 2)
            is_inside = all(
                0 <= first <= last < end
                for ends, end in ((rows, height), (columns, width))
                for first, last in ends
            )
        except (TypeError, ValueError):
            is_inside = False
        if not is_inside:
            raise ConfigError(
                f"protocol.regions.{name}: a rectangle is [first row, last row, first column, last "
                f"column] inside {height} x {width}, got {rectangles}"
            )


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


def cases_of(methods: Sequence[Method], protocol: DictConfig) -> tuple[Method, dict[str, dict]]:
    """Return the method, and its parameters in its geometry and in that of the reference."""
    chosen = operator_candidates(methods, protocol.kind)
    if len(chosen) != 1:
        raise ConfigError(
            f"the protocol {protocol.kind} shows one method with fixed parameters, got "
            f"{len(chosen)} candidates; fix them, as in method.percentile=50"
        )
    ((method, parameters),) = chosen
    geometries = [parameters["geometry"], protocol.reference or parameters["geometry"]]
    return method, {name: {**parameters, "geometry": name} for name in geometries}


def run(run: base.Run) -> base.Results:
    """Decompose all pairs and draws of a config, in the method's geometry and the reference's."""
    protocol, seed = run.config.protocol, run.config.seed
    cases = cases_of(run.methods, protocol)[1]
    data = load_dataset(run.config)
    base.check_shape(run.config, data)
    n, tasks, images, fingerprints = protocol.n_per_class, {}, {}, {}
    options = {name: protocol[name] for name in ("maximum", "n_mean", "n_difference")}
    pairs = list(dict.fromkeys(map(tuple, protocol.pairs)))
    for pair, i in product(pairs, range(protocol.n_repetitions)):
        drawn = np.vstack([draw(data, label, n, seed, i) for label in pair])
        fingerprint = canonical_rows(drawn, np.repeat([0, 1], n))[1]
        images[pair, i], fingerprints[f"{pair[0]}, {pair[1]}, draw {i}"] = drawn, fingerprint
        for geometry, parameters in cases.items():
            known = {**options, "parameters": parameters}
            key = key_of("images", images=fingerprint, **known)
            tasks[pair, geometry, i] = Task(key, partial(decompose, drawn, **known))
    stored: dict[str, list[dict[str, Any]]] = {"rows": [], "eigenvectors": [], "images": []}

    def add(table, at, name, pixels, *, scored=None, **of_vector):
        names = {f"name_{i}": data.label_names[label] for i, label in enumerate(at[0], start=1)}
        axes = {"class_1": at[0][0], "class_2": at[0][1], "geometry": at[1], "draw": at[2]}
        image = {"image": name, **of_vector, "pixels": np.asarray(pixels, float)}
        stored[table].append({**axes, **image, **names, **(scored or {})})

    for (pair, i), drawn in images.items():
        at = (pair, "", i)
        for label, several in zip(pair, np.split(drawn, 2), strict=True) if i == 0 else ():
            for number, one in enumerate(several[: protocol.n_samples]):
                add("images", at, f"sample_{label}_{number}", one)
            add("images", at, f"average_{label}", several.mean(axis=0))
        add("images", at, "blank", (drawn == 0).all(axis=0))
    for at, row in run.rows_at(tasks, "draws", end=-1).items():
        values, vectors = row["difference_values"], row["difference_vectors"]
        if at[2] == 0:
            pairs_of = {"mean": (row["mean_values"], row["mean_vectors"])}
            for name, eigenpairs in {**pairs_of, "difference": (values, vectors)}.items():
                for number, (value, vector) in enumerate(zip(*eigenpairs, strict=True), start=1):
                    add("eigenvectors", at, f"{name}_{number}", vector, eigenvalue=value)
        add("rows", at, "score", row["score"], scored={name: row[name] for name in NUMBERS})
        # The share of each pixel in the leading eigenvectors of D.
        weights = np.abs(values) / np.abs(values).sum()
        add("images", at, "leading", weights @ vectors**2)
    about = {
        "drawn": f"{n} images of each class, at random from all of its images, training and test "
        "images together, by the seed, the class and the draw",
        "fingerprints": fingerprints,
    }
    tables = {name: pd.DataFrame(rows) for name, rows in stored.items()}
    return base.Results(tables, {**described(data), **about})


#: (geometry, image) -> its pixels in each draw, of shape (n_draws, n_pixels).
Pictures = dict[tuple, np.ndarray]


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return summary, shares of regions, and shares of eigenvectors where the classes differ.

    "summary" has a row for each pair and geometry, with means over the draws, "regions" a row for
    each region, and "differences" one for the pixels of each in which the classes differ.
    """
    protocol, rows = config.protocol, pd.concat(stored.values())
    method, cases = cases_of(resolve(config), protocol)
    summary, regions, differences = [], [], []
    for pair, of_pair in rows.groupby(["class_1", "class_2"], sort=False):
        images = of_pair.groupby(["geometry", "image"])
        pictures = {key: np.array(part["pixels"].to_list()) for key, part in images}
        averages = [pictures["", f"average_{label}"][0] for label in pair]
        masks = _masks(protocol, list(pair))
        for geometry in cases:
            axes = {"class_1": pair[0], "class_2": pair[1], "geometry": geometry}
            names = {name: of_pair[name].iloc[0] for name in ("name_1", "name_2")}
            row = {"method": method.name, "label": method.label, **axes, **names}
            if (geometry, "score") not in pictures:
                summary.append({**row, "failed": True})
                continue
            numbers = images.get_group((geometry, "score"))[list(NUMBERS)].mean().to_dict()
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
    """Return a row of the summary: means over the draws, and eigenvectors of the first."""
    n_top, scores, blank = protocol.n_top, pictures[geometry, "score"], pictures["", "blank"] > 0
    best, other = (
        [set(best_first(score)[:n_top].tolist()) for score in pictures.get((name, "score"), ())]
        for name in (geometry, reference)
    )
    common = {
        "top_as_reference": list(zip(best, other, strict=True)) if other else [],
        "top_between_draws": list(combinations(best, 2)),
    }
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
            f"mean_{i}_ink_correlation": np.corrcoef(
                pictures[geometry, f"mean_{i}"][0], sum(averages)
            )[0, 1]
            for i in range(1, protocol.n_mean + 1)
        },
    }


def _share(values, chosen):
    return values[chosen].sum() / values.sum()


def _masks(protocol: DictConfig, pair: list) -> dict[str, np.ndarray]:
    """Return a boolean mask of pixels for each region of a pair of classes."""
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
    """Return the share of the leading eigenvectors of D on pixels where the classes differ.

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
    """Return a row for each region: its shares of area, ink, score and eigenvectors."""
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


KIND = base.Kind(ImagesProtocol, check, run, tables)
