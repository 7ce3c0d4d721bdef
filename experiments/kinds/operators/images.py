"""Two classes of images as ManiFeSt sees them: M, D and the score, pixel by pixel.

The statements of the paper on its pictures are also measured, by rules in the config: the share of
the score inside a region, beside the region's share of the area and of the ink, and the correlation
of an eigenvector of M with the average image.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.config import ConfigError, ProtocolConfig, plain
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.engine import seeds
from experiments.engine.keys import Row, Unit, key_of
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.eigenimages import decompose
from experiments.evaluation.method_config import resolve
from experiments.evaluation.methods import Method
from experiments.evaluation.summary import deviation
from experiments.kinds import base
from experiments.kinds.adoption import Check, Sample
from experiments.kinds.operators import operator_candidates, unit_checks
from experiments.kinds.pictures import check_shape
from experiments.report.text import number
from manifest.ranking import best_first

#: The columns that name a unit.
UNIT_AXES = ["class_1", "class_2", "geometry", "draw"]
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
    #: by more than a share of the largest difference. The main differences are those above the
    #: first share. The second share takes the pixels of a region; with it, each of the differences
    #: that the paper names has at least 18 pixels.
    main_share: float = 0.5
    difference_share: float = 0.1


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless pairs, counts and rectangles make sense."""
    protocol = config.protocol
    if not protocol.pairs or any(len(set(p)) != 2 or len(p) != 2 for p in protocol.pairs):
        raise ConfigError(
            f"protocol.pairs must be pairs of different class labels, such as [[4, 9]], "
            f"got {list(map(list, protocol.pairs))}"
        )
    base.check_numbers(config, n_samples=1, n_mean=1, n_difference=1, n_top=1)
    base.check_numbers(config, n_per_class=max(2, protocol.n_samples))
    if config.dataset.scaling != "none":
        raise ConfigError(
            f"the protocol {protocol.kind} divides pixels by protocol.maximum; dataset.scaling "
            f"must be none, got {config.dataset.scaling}"
        )
    unknown = [list(pair) for pair in protocol.region_pairs or [] if pair not in protocol.pairs]
    if unknown:
        raise ConfigError(
            f"protocol.region_pairs {unknown} are not among protocol.pairs "
            f"{[list(pair) for pair in protocol.pairs]}"
        )
    for key in ("main_share", "difference_share"):
        if not 0 <= protocol[key] < 1:
            raise ConfigError(
                f"protocol.{key} is a share of the largest difference, at least 0 and below 1, got "
                f"{protocol[key]}"
            )
    height, width = protocol.shape
    for name, rectangles in protocol.regions.items():
        for rectangle in rectangles:
            top, bottom, left, right = rectangle
            if not (0 <= top <= bottom < height and 0 <= left <= right < width):
                raise ConfigError(
                    f"protocol.regions.{name}: a rectangle is [first row, last row, first column, "
                    f"last column] inside {height} x {width}, got {list(rectangle)}"
                )


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


def cases_of(methods: Sequence[Method], protocol: DictConfig) -> list[tuple[Method, dict]]:
    """The method in the geometry that is set, and in that of the reference."""
    chosen = operator_candidates(methods, protocol.kind)
    if len(chosen) != 1:
        raise ConfigError(
            f"the protocol {protocol.kind} shows one method with fixed parameters, got "
            f"{len(chosen)} candidates; fix them, as in method.percentile=50"
        )
    ((method, parameters),) = chosen
    if protocol.reference in (None, parameters["geometry"]):
        return chosen
    return [*chosen, (method, {**parameters, "geometry": protocol.reference})]


def draws_of(run: base.Run, data: Dataset) -> dict[tuple, np.ndarray]:
    """The images of each pair of classes and draw, by (class 1, class 2, draw)."""
    protocol = run.config.protocol
    return {
        (*pair, i): np.vstack(
            [draw(data, label, protocol.n_per_class, run.config.seed, i) for label in pair]
        )
        for pair in protocol.pairs
        for i in range(protocol.n_repetitions)
    }


def units_of(run: base.Run, images: dict[tuple, np.ndarray]) -> tuple[dict[tuple, Unit], dict]:
    """The unit of each pair, geometry and draw, by UNIT_AXES; and the images' fingerprints."""
    protocol = run.config.protocol
    labels = np.repeat([0, 1], protocol.n_per_class)
    fingerprints = {at: canonical_rows(drawn, labels)[1] for at, drawn in images.items()}
    options = {name: protocol[name] for name in ("maximum", "n_mean", "n_difference")}
    units = {}
    for (*pair, i), drawn in images.items():
        for _, parameters in cases_of(run.methods, protocol):
            known = {**options, "parameters": parameters}
            key = key_of("images", [decompose], images=fingerprints[*pair, i], **known)
            task = partial(decompose, drawn, **known)
            units[*pair, parameters["geometry"], i] = Unit(key, task)
    return units, fingerprints


def run(run: base.Run) -> base.Results:
    """Decompose all pairs and draws of a config, in the method's geometry and the reference's."""
    protocol = run.config.protocol
    cases = cases_of(run.methods, protocol)
    data = load_dataset(run.config)
    check_shape(run.config, data)
    images = draws_of(run, data)
    units, fingerprints = units_of(run, images)
    run.complete(list(units.values()), "draws")
    draws, n = range(protocol.n_repetitions), protocol.n_per_class
    rows: list[dict[str, Any]] = []
    further: list[dict[str, Any]] = []
    for pair in dict.fromkeys(map(tuple, protocol.pairs)):
        shown = samples_of(pair, images[*pair, 0], protocol.n_samples)
        besides = [
            picture((*pair, "", i), "blank", (images[*pair, i] == 0).all(axis=0)) for i in draws
        ]
        for geometry in (parameters["geometry"] for _, parameters in cases):
            at = [(*pair, geometry, i) for i in draws]
            for axes, unit in zip(at, run.rows([units[each] for each in at]) or (), strict=False):
                *pictures, leading = pictures_of(axes, unit)
                shown += pictures
                besides.append(leading)
        names = {f"name_{i}": data.label_names[label] for i, label in enumerate(pair, start=1)}
        rows += [{**row, **names} for row in shown]
        further += [{**row, **names} for row in besides]
    about = {
        "drawn": f"{n} images of each class, at random from all of its images, training and test "
        "images together, by the seed, the class and the draw",
        "fingerprints": {
            f"{first}, {second}, draw {i}": text
            for (first, second, i), text in fingerprints.items()
        },
    }
    return base.Results(pd.DataFrame([*rows, *further]), {**described(data), **about})


def picture(axes: tuple, name: str, pixels, eigenvalue=np.nan, **numbers) -> dict[str, Any]:
    """A row with an image, by the values of UNIT_AXES; the geometry of samples is empty."""
    image = {"image": name, "eigenvalue": eigenvalue, "pixels": np.asarray(pixels, float)}
    return {**dict(zip(UNIT_AXES, axes, strict=True)), **image, **numbers}


def samples_of(pair: tuple, images: np.ndarray, n: int) -> list[dict[str, Any]]:
    """The first images of two classes, and the average of all."""
    axes, rows = (*pair, "", 0), []
    for label, several in zip(pair, np.split(images, 2), strict=True):
        rows += [picture(axes, f"sample_{label}_{i}", one) for i, one in enumerate(several[:n])]
        rows.append(picture(axes, f"average_{label}", several.mean(axis=0)))
    return rows


def pictures_of(axes: tuple, row: Row) -> list[dict[str, Any]]:
    """The rows of a unit: eigenvectors if it is the first draw, the score, and "leading".

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


def stored_checks(run: base.Run, sample: Sample) -> Iterator[Check]:
    """Checks of random pairs, geometries and draws, each with all of its pictures."""
    units, _ = units_of(run, draws_of(run, load_dataset(run.config)))
    rows = sample.rows[sample.rows["geometry"] != ""].assign(method=run.methods[0].name)
    return unit_checks(units, UNIT_AXES, replace(sample, rows=rows), pictures_of)


class Pictures:
    """The pictures of a pair of classes, from its rows.

    Attributes
    ----------
    averages : ndarray of shape (2, n_pixels)
        Of the classes in the first draw.
    ink : ndarray of shape (n_pixels,)
        The sum of both averages.
    """

    def __init__(self, rows: pd.DataFrame, pair: Sequence[Any]):
        self._parts = dict(iter(rows.groupby(["geometry", "image"])))
        averages = [self.of_draws("", f"average_{label}")[0] for label in pair]
        self.averages = np.array(averages)
        self.ink = self.averages.sum(axis=0)

    def of_draws(self, geometry: str, image: str) -> np.ndarray:
        """Pixels of an image in each draw; empty if there are none."""
        part = self._parts.get((geometry, image))
        return np.empty(0) if part is None else np.array(part["pixels"].to_list())

    def numbers(self, geometry: str) -> dict[str, float]:
        """Numbers of the composition, as means over the draws."""
        scores = self._parts[geometry, "score"]
        return {name: float(scores[name].mean()) for name in NUMBERS}

    def vectors(self, geometry: str, name: str, n: int) -> np.ndarray:
        """The first eigenvectors of an operator in the first draw."""
        return np.array([self.of_draws(geometry, f"{name}_{i}")[0] for i in range(1, n + 1)])


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """Summary, shares of regions, and what eigenvectors show where the classes differ.

    "summary" has a row for each pair and geometry, with means over the draws, "regions" a row for
    each region, and "differences" one for the pixels of each in which the classes differ.
    """
    protocol = config.protocol
    cases = cases_of(resolve(config), protocol)
    summary, regions, differences = [], [], []
    pair_axes = ["class_1", "class_2"]
    for at, of_pair in rows.groupby(pair_axes, sort=False):
        pair: tuple[Any, ...] = tuple(at)  # type: ignore[arg-type]
        pictures, masks = Pictures(of_pair, pair), _masks(protocol, pair)
        named = {name: of_pair[name].iloc[0] for name in ("name_1", "name_2")}
        for method, parameters in cases:
            geometry = parameters["geometry"]
            axes = {**dict(zip(pair_axes, pair, strict=True)), "geometry": geometry}
            row = {"method": method.name, "label": method.label, **axes, **named}
            if not len(pictures.of_draws(geometry, "score")):
                summary.append({**row, "failed": True})
                continue
            inside = _in_regions(pictures, geometry, masks, protocol)
            regions += [{**axes, **region} for region in inside]
            differences += [
                {**axes, **region} for region in _differences(pictures, geometry, masks, protocol)
            ]
            shares = {
                f"{region['region']}_{share}": region[share]
                for region in inside
                for share in ("area", "score")
            }
            reference = cases[-1][1]["geometry"]
            facts = _facts(pictures, geometry, reference, protocol)
            summary.append({**row, **facts, **shares, "failed": False})
    return {
        "summary": pd.DataFrame(summary),
        "regions": pd.DataFrame(
            regions, columns=None if regions else [*pair_axes, "geometry", "rectangles"]
        ),
        "differences": pd.DataFrame(differences),
    }


def _facts(pictures, geometry, reference, protocol):
    """One row of the summary: means over the draws; eigenvectors are those of the first."""
    n_top, scores = protocol.n_top, pictures.of_draws(geometry, "score")
    blank = pictures.of_draws("", "blank") > 0
    best = [_best(score, n_top) for score in scores]
    other = [_best(score, n_top) for score in pictures.of_draws(reference, "score")]
    common = {
        "top_as_reference": list(zip(best, other, strict=True)) if other else [],
        "top_between_draws": list(combinations(best, 2)),
    }
    means = pictures.vectors(geometry, "mean", protocol.n_mean)
    return {
        "n_per_class": protocol.n_per_class,
        "n_draws": len(scores),
        **pictures.numbers(geometry),
        "blank_pixels": blank.sum(axis=1).mean(),
        "blank_score": np.mean([_share(*each) for each in zip(scores, blank, strict=True)]),
        "n_top": n_top,
        **{
            name: np.mean([len(one & another) for one, another in several]) if several else np.nan
            for name, several in common.items()
        },
        **{
            f"mean_{i}_ink_correlation": np.corrcoef(vector, pictures.ink)[0, 1]
            for i, vector in enumerate(means, start=1)
        },
    }


def _best(score, n):
    return set(best_first(score)[:n].tolist())


def _share(values, chosen):
    return values[chosen].sum() / values.sum()


def _masks(protocol, pair):
    """Region of a pair of classes -> a boolean for each pixel, true inside."""
    masks: dict[str, np.ndarray] = {}
    if protocol.region_pairs is not None and list(pair) not in plain(protocol.region_pairs):
        return masks
    for name, rectangles in plain(protocol.regions).items():
        region = np.zeros(protocol.shape, dtype=bool)
        for top, bottom, left, right in rectangles:
            region[top : bottom + 1, left : right + 1] = True
        masks[name] = region.ravel()
    return masks


def _differences(pictures, geometry, masks, protocol):
    """The share of the leading eigenvectors of D that lies where the classes differ, on average.

    One row for the image and one for each region: of its pixels, those are taken where the averages
    of the classes differ by more than a share of the largest difference, which is `main_share` for
    the image and `difference_share` for a region. "leading" is
    ``sum_i |lambda_i| sum_p phi_i(p)^2 / sum_i |lambda_i|`` over these pixels p and the leading
    eigenvectors, as a mean over the draws. The averages are those of the first draw, so that the
    pixels are the same in all draws.
    """
    gap = np.abs(pictures.averages[0] - pictures.averages[1])
    leading = pictures.of_draws(geometry, "leading")
    rows = []
    for name, region in {"image": np.ones(len(gap), dtype=bool), **masks}.items():
        least = protocol.main_share if name == "image" else protocol.difference_share
        chosen = region & (gap > least * gap.max())
        shares = np.array([pixels[chosen].sum() for pixels in leading])
        rows.append(
            {
                "region": name,
                "difference_share": least,
                "n_pixels": chosen.sum(),
                "area": chosen.mean(),
                "ink": _share(pictures.ink, chosen),
                "n_vectors": protocol.n_difference,
                "leading": shares.mean(),
                "leading_std": deviation(shares),
                "n_draws": len(shares),
                "n_ambiguous": pictures.numbers(geometry)["n_ambiguous"],
            }
        )
    return rows


def _in_regions(pictures, geometry, masks, protocol):
    """One row for each region: its shares of area, ink, score and eigenvectors."""
    vectors = pictures.vectors(geometry, "difference", protocol.n_difference)
    rows = []
    for name, chosen in masks.items():
        rectangles = protocol.regions[name]
        scores = pictures.of_draws(geometry, "score")
        shares = np.array([_share(score, chosen) for score in scores])
        rows.append(
            {
                "region": name,
                "rectangles": " ".join(",".join(map(str, edges)) for edges in rectangles),
                "area": chosen.mean(),
                "ink": _share(pictures.ink, chosen),
                "score": shares.mean(),
                "score_std": deviation(shares),
                "score_to_area": shares.mean() / chosen.mean(),
                **{
                    f"difference_{i}": _share(vector**2, chosen)
                    for i, vector in enumerate(vectors, start=1)
                },
            }
        )
    return rows


def findings(tables: base.Tables, config: Mapping[str, Any], folder: Any) -> dict[str, str]:
    """A sentence for each pair of classes: its best pixels from draw to draw, and its regions."""
    summary = tables["summary"]
    regions = tables["regions"].to_dict("records")
    sentences: dict[str, str] = {}
    for row in summary[~summary["failed"].eq(True)].to_dict("records"):
        pair = f"{number(row['class_1'], 0)}_{number(row['class_2'], 0)}"
        text = f"{row['name_1']} against {row['name_2']}"
        if pd.notna(row.get("top_between_draws")):
            text += (
                f": of the {number(row['n_top'], 0)} pixels with the highest scores, "
                f"{number(row['top_between_draws'], 0)} are the same from draw to draw"
            )
        parts = [
            f"{str(region['region']).replace('_', ' ')} {number(100 * region['score'], 0)} % "
            f"of the score on {number(100 * region['area'], 0)} % of the area"
            for region in regions
            if all(region[axis] == row[axis] for axis in ("class_1", "class_2", "geometry"))
        ]
        sentences.setdefault(pair, f"{text}{'; ' if parts else ''}{', '.join(parts)}.")
    return sentences


KIND = base.Kind(
    schema=Schema,
    check=check,
    run=run,
    tables=tables,
    captions={
        "regions": "Regions of the pictures",
        "differences": "Where the pictures differ most",
    },
    findings=findings,
    stored_checks=stored_checks,
    hidden=("label", "name_1", "name_2"),
)
