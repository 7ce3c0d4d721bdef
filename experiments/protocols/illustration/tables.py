"""Rows and tables of the illustration: pictures, a summary, shares of regions."""

from itertools import combinations

import numpy as np
import pandas as pd

from experiments.config import plain
from manifest.ranking import best_first


def tables(data, cases, images, found, protocol):
    """Rows and tables of a run.

    Parameters
    ----------
    data : Dataset
    cases : list of (Method, parameters)
        The method as it is set, then with the reference geometry.
    images : dict
        (pair of classes, draw) -> images, the first half of class 1.
    found : dict
        (case, pair of classes, draw) -> row of the unit, None where it failed.
    protocol : DictConfig
    """
    rows, summary, regions, differences = [], [], [], []
    draws = range(protocol.n_repetitions)
    for pair in dict.fromkeys(pair for pair, _ in images):
        masks = _masks(protocol, pair)
        averages = images[pair, 0].reshape(2, protocol.n_per_class, -1).mean(axis=1)
        blank = [(images[pair, number] == 0).all(axis=0) for number in draws]
        rows += _samples(pair, images[pair, 0], averages, protocol.n_samples)
        done = [
            [found[position, pair, number] for number in draws] for position in range(len(cases))
        ]
        for (method, parameters), here in zip(cases, done, strict=True):
            axes = {
                "class_1": pair[0],
                "class_2": pair[1],
                "geometry": parameters["geometry"],
            }
            names = {
                "method": method.name,
                "label": method.label,
                **axes,
                "name_1": data.label_names[pair[0]],
                "name_2": data.label_names[pair[1]],
            }
            if any(row is None for row in here):
                summary.append({**names, "failed": True})
                continue
            rows += _decomposed(axes, here)
            inside = _in_regions(here, averages, masks, protocol)
            regions += [{**axes, **region} for region in inside]
            differences += [
                {**axes, **row} for row in _differences(here, averages, masks, protocol)
            ]
            summary.append(
                {
                    **names,
                    **_facts(here, averages, blank, done[-1], protocol),
                    **{
                        f"{region['region']}_{share}": region[share]
                        for region in inside
                        for share in ("area", "score")
                    },
                    "failed": False,
                }
            )
    return pd.DataFrame(rows), {
        "summary": pd.DataFrame(summary),
        "regions": pd.DataFrame(regions, columns=None if regions else [*axes, "rectangles"]),
        "differences": pd.DataFrame(differences),
    }


def _picture(axes, number, name, pixels, eigenvalue=np.nan):
    return {
        **axes,
        "draw": number,
        "image": name,
        "eigenvalue": eigenvalue,
        "pixels": np.asarray(pixels, dtype=np.float64),
    }


def _samples(pair, images, averages, n_samples):
    """Samples and the average of each class."""
    axes = {"class_1": pair[0], "class_2": pair[1], "geometry": ""}
    rows = []
    for label, several, average in zip(pair, np.split(images, 2), averages, strict=True):
        chosen = enumerate(several[:n_samples])
        rows += [_picture(axes, 0, f"sample_{label}_{i}", image) for i, image in chosen]
        rows.append(_picture(axes, 0, f"average_{label}", average))
    return rows


def _decomposed(axes, found):
    """Eigenvectors of the first draw, scores of all."""
    rows = []
    for name in ("mean", "difference"):
        values = found[0][f"{name}_values"]
        vectors = found[0][f"{name}_vectors"].reshape(len(values), -1)
        rows += [
            _picture(axes, 0, f"{name}_{i}", vector, value)
            for i, (vector, value) in enumerate(zip(vectors, values, strict=True), start=1)
        ]
    scores = [_picture(axes, number, "score", row["score"]) for number, row in enumerate(found)]
    return rows + scores


def _best(row, n):
    return set(best_first(row["score"])[:n].tolist())


def _facts(found, averages, blank, reference, protocol):
    """One row of the summary: means over the draws; eigenvectors are those of the first."""
    n_top = protocol.n_top
    best = [_best(row, n_top) for row in found]
    other = [set() if row is None else _best(row, n_top) for row in reference]
    pairs = {
        "top_as_reference": list(zip(best, other, strict=True)) if all(other) else [],
        "top_between_draws": list(combinations(best, 2)),
    }
    columns = ("scale_1", "scale_2", "rank", "n_ambiguous", "delta")
    ink = averages.sum(axis=0)
    means = found[0]["mean_vectors"].reshape(protocol.n_mean, -1)
    return {
        "n_per_class": protocol.n_per_class,
        "n_draws": len(found),
        **{name: np.mean([row[name] for row in found]) for name in columns},
        "blank_pixels": np.mean([never.sum() for never in blank]),
        "blank_score": np.mean(
            [_share(row["score"], never) for row, never in zip(found, blank, strict=True)]
        ),
        "n_top": n_top,
        **{
            name: np.mean([len(one & another) for one, another in several]) if several else np.nan
            for name, several in pairs.items()
        },
        **{
            f"mean_{i}_ink_correlation": np.corrcoef(vector, ink)[0, 1]
            for i, vector in enumerate(means, start=1)
        },
    }


def _share(values, chosen):
    return values[chosen].sum() / values.sum()


def _masks(protocol, pair):
    """Region of a pair of classes -> whether each pixel is in it."""
    found: dict[str, np.ndarray] = {}
    if protocol.region_pairs is not None and list(pair) not in plain(protocol.region_pairs):
        return found
    for name, rectangles in plain(protocol.regions).items():
        region = np.zeros(protocol.shape, dtype=bool)
        for top, bottom, left, right in rectangles:
            region[top : bottom + 1, left : right + 1] = True
        found[name] = region.ravel()
    return found


def _differences(found, averages, masks, protocol):
    """What the leading eigenvectors of D show where the classes differ, on average.

    One row for the image and one for each region: of its pixels, those are taken where the averages
    of the classes differ by more than a share of the largest difference, which is `main_share` for
    the image and `difference_share` for a region. "leading" is
    ``sum_i |lambda_i| sum_p phi_i(p)^2 / sum_i |lambda_i|`` over these pixels p and the leading
    eigenvectors, as a mean over the draws. The averages are those of the first draw, so that the
    pixels are the same in all draws.
    """
    gap = np.abs(averages[0] - averages[1])
    ink = averages.sum(axis=0)
    weighted = []
    for row in found:
        values = np.abs(row["difference_values"])
        vectors = row["difference_vectors"].reshape(len(values), -1)
        weighted.append(values @ vectors**2 / values.sum())
    rows = []
    for name, region in {"image": np.ones(len(gap), dtype=bool), **masks}.items():
        least = protocol.main_share if name == "image" else protocol.difference_share
        chosen = region & (gap > least * gap.max())
        shares = np.array([pixels[chosen].sum() for pixels in weighted])
        rows.append(
            {
                "region": name,
                "difference_share": least,
                "n_pixels": chosen.sum(),
                "area": chosen.mean(),
                "ink": _share(ink, chosen),
                "n_vectors": len(values),
                "leading": shares.mean(),
                "leading_std": shares.std(ddof=1) if len(shares) > 1 else np.nan,
                "n_draws": len(shares),
                "n_ambiguous": np.mean([row["n_ambiguous"] for row in found]),
            }
        )
    return rows


def _in_regions(found, averages, masks, protocol):
    """One row for each region: its shares of area, ink, score and eigenvectors."""
    ink = averages.sum(axis=0)
    vectors = found[0]["difference_vectors"].reshape(protocol.n_difference, -1)
    rows = []
    for name, chosen in masks.items():
        rectangles = protocol.regions[name]
        shares = np.array([_share(row["score"], chosen) for row in found])
        rows.append(
            {
                "region": name,
                "rectangles": " ".join(",".join(map(str, edges)) for edges in rectangles),
                "area": chosen.mean(),
                "ink": _share(ink, chosen),
                "score": shares.mean(),
                "score_std": shares.std(ddof=1) if len(shares) > 1 else np.nan,
                "score_to_area": shares.mean() / chosen.mean(),
                **{
                    f"difference_{i}": _share(vector**2, chosen)
                    for i, vector in enumerate(vectors, start=1)
                },
            }
        )
    return rows
