"""Statistics for everything that is measured: intervals, tests, agreement coefficients."""

from .bootstrap import Bootstrap, Statistic, interval, intervals, standard_error
from .clusters import Clustered, cluster_sums
from .coefficients import (
    agreement_columns,
    cohen_columns,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pairwise_agreement,
    randolph_kappa,
)
from .estimate import Estimate, Floats, Method
from .means import (
    Comparison,
    compare,
    compare_means,
    mean_interval,
    proportion_interval,
    ratio,
    ratio_interval,
    wilson,
)
from .significance import TTest, cohens_d, holm, independent_test, one_sample_test

__all__ = [
    "Bootstrap",
    "Clustered",
    "Comparison",
    "Estimate",
    "Floats",
    "Method",
    "Statistic",
    "TTest",
    "agreement_columns",
    "cluster_sums",
    "cohen_columns",
    "cohen_kappa",
    "cohens_d",
    "compare",
    "compare_means",
    "fleiss_kappa",
    "gwet_ac1",
    "holm",
    "independent_test",
    "interval",
    "intervals",
    "krippendorff_alpha",
    "mean_interval",
    "one_sample_test",
    "pairwise_agreement",
    "proportion_interval",
    "randolph_kappa",
    "ratio",
    "ratio_interval",
    "standard_error",
    "wilson",
]
