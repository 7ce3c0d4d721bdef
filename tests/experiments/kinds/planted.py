"""Tables in which some features differ, and tables in which none does."""

import numpy as np
import pandas as pd
from scipy import stats

#: Planted features, and fresh samples of a table.
PLANTED, FRESH = 5, 2000


def noise(n=40, d=30, seed=0, classes=("healthy", "ill")):
    """A table of noise, sorted by class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"gene {i:04d}" for i in range(d)])
    return frame.assign(status=np.repeat(classes, n // len(classes)))


def planted(n=40, d=30, names=("gene 0007", "gene 0011", "gene 0023"), shift=2.5):
    """Noise, but for a few features that are higher in the second class."""
    frame = noise(n, d)
    frame.loc[frame["status"] == "ill", list(names)] += shift
    return frame


def drawn(number: int, has_signal: bool):
    """A table of a simulation, fresh samples of it, and facts on it.

    It has 20 to 100 samples, 20 to 600 features, classes of equal size or 4 to 1, and features of
    one unit or of units from a thousandth to a thousand. Its first five features are shifted, if it
    has signal: each is found with a power of .95 in a t test that allows for all features.

    Returns
    -------
    table, fresh : DataFrame
        Features and the column "status", a or b.
    about : dict
    """
    rng = np.random.default_rng([number, has_signal])
    n, d = int(rng.choice([20, 40, 60, 100])), int(rng.choice([20, 60, 200, 600]))
    small, several = (n // 2, n // 5)[rng.integers(2)], bool(rng.integers(2))
    counts = [n - small, small]
    y = np.repeat([0, 1, 0, 1], [*counts, *(FRESH * np.array(counts) // n)])
    X = rng.normal(size=(len(y), d))
    if has_signal:
        t = stats.t.isf(0.025 / d, n - 2) + stats.t.isf(0.05, n - 2)
        X[y == 1, :PLANTED] += t * np.sqrt(1 / counts[0] + 1 / counts[1])
    X *= 10 ** rng.uniform(-3, 3, size=d) if several else 1.0
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    frame["status"] = np.array(["a", "b"])[y]
    about = {"number": number, "has_signal": has_signal, "n": n, "d": d, "small": small}
    return frame[:n], frame[n:], {**about, "several_units": several}
