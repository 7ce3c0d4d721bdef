"""Names of methods and colours that tables, sentences and figures share."""

#: The row of tables that belongs to no ranking; it is the SVM on all features.
ALL_FEATURES = "all_features"
#: The rows of a summary without a ranking.
NO_RANKING = (ALL_FEATURES, "majority", "shuffled", "procedure")
#: The methods that a sentence begins with if one is there.
OWN = ("manifest", "manifest_regularized")
#: The paper's method, alone and in a sum: tables mark it, figures draw it in front of the others.
EMPHASISED = (*OWN, "manifest_relieff", "manifest_relieff_regularized")
#: The methods that have a panel each in a first figure; the others have theirs in a second one.
MAIN = ("manifest", "relieff", "anova", "laplacian")
#: Combinations of rankings, of which ManiFeSt's is one.
COMBINED = ("rank_average", "robust_rank_aggregation", "relieff_dpp", "anova_dpp")

#: Colours of Okabe and Ito that are told apart by the colour-blind; STRONG is ManiFeSt's.
STRONG, PALETTE = "#D55E00", ("#D55E00", "#0072B2", "#009E73", "#882255", "#56B4E9", "#E69F00")
#: The colours of words and axes, and of methods that are drawn in the background.
DARK, GREY = "#333333", "#B0B0B0"


def has_manifest(method: str) -> bool:
    """True if ManiFeSt, or its mean of the kernels, is a part of a method.

    >>> [has_manifest(name) for name in ("manifest_dpp", "rank_average", "relieff")]
    [True, True, False]
    """
    return method.startswith("manifest") or method in COMBINED
