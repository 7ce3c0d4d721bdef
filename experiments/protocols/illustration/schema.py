"""Show what the method sees: images, eigenvectors of M and D, and the score as an image."""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import DictConfig

from experiments.config import ConfigError, ProtocolConfig, at_least


@dataclass
class Schema(ProtocolConfig):
    """Pairs of classes of images, what is shown of them, and regions to measure the score in."""

    kind: str = "illustration"
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
    #: A second geometry to compare the score with; none where null.
    reference: str | None = "regularized"
    #: How many of the best pixels are compared.
    n_top: int = 100
    #: Name -> rectangles [first row, last row, first column, last column], counted from 0.
    regions: dict[str, Any] = field(default_factory=dict)
    #: The pairs that these regions were read off; all pairs where null.
    region_pairs: list[list[int]] | None = None
    #: What the leading eigenvectors of D show is measured on pixels where the averages of the
    #: classes differ by more than a share of the largest difference. The main differences are those
    #: above the first share. The second share takes the pixels of a region; with it, each of the
    #: differences that the paper names has at least 18 pixels.
    main_share: float = 0.5
    difference_share: float = 0.1


def check(config: DictConfig) -> None:
    """Pairs, counts and rectangles must make sense."""
    protocol = config.protocol
    if not protocol.pairs or any(len(set(p)) != 2 or len(p) != 2 for p in protocol.pairs):
        raise ConfigError(
            f"protocol.pairs must be pairs of different class labels, such as [[4, 9]], "
            f"got {list(map(list, protocol.pairs))}"
        )
    for key in ("n_samples", "n_mean", "n_difference", "n_top"):
        at_least(config, f"protocol.{key}", 1)
    at_least(config, "protocol.n_per_class", max(2, protocol.n_samples))
    if config.dataset.scaling != "none":
        raise ConfigError(
            "the illustration protocol divides pixels by protocol.maximum; dataset.scaling must be "
            f"none, got {config.dataset.scaling}"
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
