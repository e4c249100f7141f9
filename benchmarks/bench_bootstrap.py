"""How often intervals cover a known mean, and how long they take, beside scipy's bootstrap.

Clusters of three rows (or of one to ten, "unequal") share an effect, normal or lognormal, and
rows add normal noise. Peers get what they need to resample clusters: the sums and sizes of each,
paired. Same data and number of resamples for all.

    python benchmarks/bench_bootstrap.py [SIMULATIONS] [RESAMPLES]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from isogloss.stats import Bootstrap, Floats, cluster_sums, interval, mean_interval, ratio
from numpy.typing import NDArray
from scipy import stats

CLUSTERS, ROWS = 206, 618
#: Kind of data, clusters, and the coverage that ours must reach.
CASES = [
    ("normal", 206, 0.93, 0.97),
    ("normal", 20, 0.93, 0.97),
    ("unequal", 20, 0.92, 0.98),
    ("skewed", 206, 0.90, 0.97),
    ("skewed", 20, 0.90, 0.97),
]
Limits = tuple[float, float]
Labels = NDArray[np.int64]
Method = Callable[[Floats, Labels, int], Limits]


def simulate(kind: str, clusters: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Values with a mean of 0, and their clusters."""
    sizes = rng.integers(1, 11, size=clusters) if kind == "unequal" else np.full(clusters, 3)
    labels = np.repeat(np.arange(clusters), sizes)
    effects = rng.normal(size=clusters)
    if kind == "skewed":
        effects = np.exp(effects) - np.exp(0.5)
    return effects[labels] + rng.normal(size=len(labels)), labels


def ours(few: int) -> Callable[[int], Method]:
    """Our interval; with 0 for few it is a plain percentile interval."""

    def with_resamples(resamples: int) -> Method:
        def method(values: Floats, labels: Labels, seed: int) -> Limits:
            options = Bootstrap(resamples=resamples, seed=seed, few=few)
            found = mean_interval(values, clusters=labels, options=options)
            return found.low, found.high

        return method

    return with_resamples


def scipys(name: str) -> Callable[[int], Method]:
    """scipy.stats.bootstrap over clusters."""

    def weighted(sums: Floats, sizes: Floats, axis: int = -1) -> Floats:
        return np.asarray(sums.sum(axis=axis) / sizes.sum(axis=axis))

    def with_resamples(resamples: int) -> Method:
        def method(values: Floats, labels: Labels, seed: int) -> Limits:
            sums = np.bincount(labels, weights=values)
            sizes = np.bincount(labels).astype(np.float64)
            found = stats.bootstrap(
                (sums, sizes), weighted, paired=True, vectorized=True, n_resamples=resamples,
                method=name, rng=np.random.default_rng(seed),
            ).confidence_interval  # fmt: skip
            return float(found.low), float(found.high)

        return method

    return with_resamples


METHODS = {
    "ours": ours(50),
    "plain percentile": ours(0),
    "scipy percentile": scipys("percentile"),
    "scipy BCa": scipys("BCa"),
}


def coverage(method: Method, kind: str, clusters: int, simulations: int) -> tuple[float, float]:
    """The share of intervals that hold the mean, and their mean width."""
    rng = np.random.default_rng(2024)
    covered, width = 0, 0.0
    for seed in range(simulations):
        low, high = method(*simulate(kind, clusters, rng), seed)
        covered += low <= 0 <= high
        width += high - low
    return covered / simulations, width / simulations


def timed(method: Method) -> float:
    """The best of five runs over 206 clusters and 618 rows, in seconds."""
    values, labels = simulate("normal", CLUSTERS, np.random.default_rng(0))
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        method(values, labels, 0)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    """Prints two Markdown tables; fails if a figure isn't reached."""
    warnings.simplefilter("ignore", stats.DegenerateDataWarning)
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    resamples = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000
    missed = []
    print(f"Coverage of 95 % intervals (mean width), {simulations} simulations of {resamples}")
    print(f"\n| data, clusters | {' | '.join(METHODS)} |\n|---|{'--:|' * len(METHODS)}")
    for kind, clusters, least, most in CASES:
        cells = []
        for name, method in METHODS.items():
            share, width = coverage(method(resamples), kind, clusters, simulations)
            cells.append(f"{share:.1%} ({width:.2f})")
            if name == "ours" and not least <= share <= most:
                missed.append(f"coverage of {kind}, {clusters}: {share:.1%}")
        print(f"| {kind}, {clusters} | {' | '.join(cells)} |", flush=True)
    seconds = {name: timed(method(10_000)) for name, method in METHODS.items()}
    print(f"\n| 10,000 resamples, {CLUSTERS} clusters, {ROWS} rows | seconds | of ours |")
    print("|---|--:|--:|")
    for name, taken in seconds.items():
        print(f"| {name} | {taken:.3f} | {taken / seconds['ours']:.1f} times |")
    if seconds["ours"] >= 1:
        missed.append(f"{seconds['ours']:.2f} s")
    many = cluster_sums([np.random.default_rng(0).normal(size=20_000), 1])
    start = time.perf_counter()
    interval(many, ratio())
    print(f"| ours, 20,000 clusters | {time.perf_counter() - start:.2f} | |")
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
