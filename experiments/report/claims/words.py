"""The subject of a claim in words: its id is made of the names below, with dots between them."""

import re
from collections.abc import Mapping

#: Name -> whom the claim is about.
SUBJECTS = {
    "manifest": "ManiFeSt",
    "manifest_unnormalized": "ManiFeSt without normalised kernels",
    "manifest+relieff": "ManiFeSt + ReliefF",
    "gini": "Gini index",
    "anova": "ANOVA",
    "pearson": "Pearson",
    "ttest": "t-test",
    "fisher": "Fisher",
    "ig": "information gain",
    "laplacian": "Laplacian score",
    "relieff": "ReliefF",
    "all_features": "SVM on all features",
    "others": "the other methods",
    "lasso": "LASSO",
    "svc": "SVC",
    "random_forest": "random forest",
    "xgboost": "XGBoost",
    "mlp": "MLP",
    "linear_stg": "linear STG",
    "nonlinear_stg": "nonlinear STG",
    "invase": "INVASE",
    "l2x": "L2X",
    "tabnet": "TabNet",
    "real_x": "REAL-x",
    "lspin": "LSPIN",
    "llspin": "LLSPIN",
    "one_vs_one": "ManiFeSt, one class against one",
}
#: Name -> what is said about it.
PHRASES = {
    "correct_of_2": "relevant features found, of two",
    "fails": "fails",
    "identifies": "finds more than one of two relevant features",
    "all_identify": "all methods find relevant features, ranked from all rows",
    "order": "order of the methods",
    "best_test_acc_full": "best test accuracy, ranked from all rows",
    "five_percent": "ranked from 5 % of the rows",
    "10_percent": "ranked from 10 % of the rows",
    "1_percent": "ranked from 1 % of the rows",
    "samples": "fewer samples",
    "mean": "mean of the relevant features found",
    "median": "median of the relevant features found",
    "q25": "lower quartile of the relevant features found",
    "q75": "upper quartile of the relevant features found",
    "factor": "kernel scale a factor of the median distance",
    "on_par": "on par with the other methods",
    "outperforms": "above every other method",
    "accuracy": "test accuracy",
    "tsne_single_run": "relevant features found in the draw of the figure",
    "best_test_acc": "best test accuracy",
    "others_at_most": "the other methods, at most",
    "highest": "highest of all",
    "at_features": "number of features at the best accuracy",
    "larger": "larger than that of the best filter",
    "gap": "gap of validation and test accuracy",
    "combination": "higher with ReliefF added",
    "competitors": "smaller than that of each competitor",
    "scales": "falls with the kernel scale",
    "table1": "table 1",
    "lowest": "lowest error",
    "table1_error_percent_std_features": "test error",
    "std": "standard deviation",
    "larger_deviation": "larger standard deviation than LLSPIN",
    "features": "number of features",
    "acc": "test accuracy",
    "split_49_13": "49/13 splits",
    "embedded_49_13": "test accuracy beside embedded methods",
    "case_a": "label f1",
    "case_b": "label f1 and f5 = 0",
    "shows": "the score shows",
    "top_gap": "the gap at the top",
    "leg": "the leg",
    "upper_corners": "the upper corners",
    "between_legs": "the gap between the legs",
    "sleeve_gaps": "the gaps beside the sleeves",
    "collar": "the collar",
    "section_4": "section 4",
    "appendix": "appendix",
    "eigenvalue": "eigenvalues of D for shared eigenvectors",
    "bounds": "bounds on the eigenvalues of D",
    "proposition_3": "expansion of D for near kernels",
    "acc_at_100_features": "test accuracy at 100 features",
    "20": "test accuracy at 20 features",
    "50": "test accuracy at 50 features",
}
#: Data set -> its name.
DATA_SETS = {
    "xor100": "XOR-100",
    "madelon": "Madelon",
    "hypercube": "Hypercube",
    "colon": "Colon",
    "gisette": "Gisette",
    "prostate": "Prostate",
    "toy": "Toy example",
    "mnist": "MNIST",
    "fashion_mnist": "Fashion-MNIST",
    "propositions": "Propositions",
    "all": "All",
}
#: Names that say only where a claim stands.
PLACES = {"icml", "mnist_multiclass", *DATA_SETS}


def in_words(claim: str) -> str:
    """A claim's id as a reader reads it.

    >>> in_words("icml.table1_error_percent_std_features.relieff.colon.std")
    'ReliefF: test error, standard deviation (version of 2023)'
    >>> in_words("mnist.shows.differences.4_9")
    'the score shows what differs between 4 and 9'
    """
    text = re.sub(r"near_(\d+)\.(\d+)", r"near_\1,\2", claim)
    subjects, phrases = [], []
    for name in text.split("."):
        if name in SUBJECTS:
            subjects.append(SUBJECTS[name])
        elif name not in PLACES and name != "differences":
            phrases.append(PHRASES.get(name) or _other(name))
    about = ", ".join(phrases).replace("shows, ", "shows ")
    said = ": ".join(filter(None, [" and ".join(subjects), about]))
    return f"{said} (version of 2023)" if text.startswith("icml.") else said


def note_in_words(note: str, names: Mapping[str, str]) -> str:
    """A claim's note with the names of methods as figures have them.

    >>> note_in_words("manifest minus ig_sklearn; region between_legs", {"manifest": "ManiFeSt"})
    'ManiFeSt minus ig sklearn; region between legs'
    """

    def word(found: re.Match) -> str:
        key = found[0]
        known = names.get(key) or {"q25": "lower quartile", "q75": "upper quartile"}.get(key)
        return known or key.replace("_", " ")

    return re.sub(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)*\b(?!/|\.\w)", word, note)


def _other(name: str) -> str:
    if pair := re.fullmatch(r"(\d)_(\d)", name):
        return f"what differs between {pair[1]} and {pair[2]}"
    if near := re.fullmatch(r"near_([\d,]+)", name):
        return f"{near[1].replace(',', '.')} apart"
    return name.replace("_", " ")
