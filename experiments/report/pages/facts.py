"""The facts that a page needs of a kind of experiment; whoever writes the page passes them in."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PageFacts:
    """The facts of one run.

    Attributes
    ----------
    findings : mapping of str to str
        Sentences by what they are about: the ending of a figure's name, such as a reading or a pair
        of classes, or "" for the run as a whole.
    captions : mapping of str to str
        Name of a table that only this kind of experiment has -> its caption. A page shows these
        tables after those that several kinds have.
    is_share : bool
        True if deviations, differences and intervals are of shares, which are told in percent.
    """

    findings: Mapping[str, str] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    is_share: bool = True
