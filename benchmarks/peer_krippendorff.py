"""Alpha by the package krippendorff, for bench_agreement.py; run with its own python.

Reads a JSON list of items by raters tables of numbers (null where a rating is missing) from
standard input and writes the list of alphas.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Transposes each table into the package's raters by items form and writes the alphas."""
    import krippendorff  # type: ignore[import-not-found, unused-ignore]
    import numpy as np

    tables = (np.array(table, dtype=np.float64).T for table in json.load(sys.stdin))
    alphas = [
        float(krippendorff.alpha(reliability_data=table, level_of_measurement="nominal"))
        for table in tables
    ]
    json.dump(alphas, sys.stdout)


if __name__ == "__main__":
    main()
