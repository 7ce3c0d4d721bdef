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
#: Filters whose features are chosen by ManiFeSt's mean of the kernels.
SETS = ("relieff_set", "anova_set")

# Colours that the colour-blind tell apart: most are Okabe and Ito's, the others Tol's.
ORANGE, BLUE, GREEN, SKY = "#D55E00", "#0072B2", "#009E73", "#56B4E9"
#: ManiFeSt's colour.
STRONG = ORANGE
#: Colours of a few methods, and of methods that have none.
PALETTE = (ORANGE, BLUE, GREEN, "#882255", SKY, "#E69F00")
SPARE = ("#E69F00", "#CC79A7", "#44AA99", "#332288", "#999933", "#661100")
#: The colours of words and axes, of names in the background, and of methods in the background.
DARK, MIDDLE, GREY = "#333333", "#777777", "#B0B0B0"


def has_manifest(method: str) -> bool:
    """True if ManiFeSt, or its mean of the kernels, is a part of a method.

    >>> [has_manifest(name) for name in ("manifest_set", "anova_set", "relieff")]
    [True, True, False]
    """
    return method.startswith("manifest") or method in SETS
