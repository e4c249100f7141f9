"""`isogloss report` on a run of 3 models and 3,000 items: seconds, megabytes, opening it.

The run is made without a model, through the writers that real runs go through. The page is opened
in headless Chromium, from the start of its navigation to its load event, the median of five.

    python benchmarks/bench_report.py [MODELS] [ITEMS]
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from isogloss.stats import Bootstrap
from isogloss.tests.evaluation.report.made import make_run, rows

MODELS, ITEMS = 3, 3_000
MOST_SECONDS, MOST_MEGABYTES = 3.0, 10.0
_REPEATS = 5
_LOADED = """() => {
  const [entry] = performance.getEntriesByType("navigation");
  return entry.loadEventEnd - entry.startTime;
}"""


def opened(page: Path) -> float | None:
    """Seconds from navigation to the load event; None without Chromium."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        found: list[float] = []
        for _ in range(_REPEATS):
            tab = browser.new_page()
            tab.goto(page.as_uri(), wait_until="load")
            # The end of the event is written after it.
            tab.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
            found.append(float(tab.evaluate(_LOADED)) / 1_000)
            tab.close()
        browser.close()
    return statistics.median(found)


def main(models: int, items: int) -> None:
    """Prints the figures, and leaves with 1 if one of them is beyond its limit."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        make_run(
            run, [f"hf:model-{n}" for n in range(models)], frame=rows(items),
            bootstrap=Bootstrap(resamples=500, seed=0),
        )  # fmt: skip
        begun = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "isogloss.cli", "report", str(run)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        built = time.monotonic() - begun
        page = run / "report" / "report.html"
        megabytes = page.stat().st_size / 1e6
        seconds = opened(page)
    print(f"{models} models, {items:,} items: built in {built:.1f} s, {megabytes:.2f} MB", end=", ")
    print("no Chromium to open it" if seconds is None else f"opens in {seconds:.2f} s")
    if megabytes > MOST_MEGABYTES or (seconds or 0) > MOST_SECONDS:
        sys.exit(f"limits: {MOST_MEGABYTES} MB, {MOST_SECONDS} s")


if __name__ == "__main__":
    given = list(map(int, sys.argv[1:]))
    main(*(given + [MODELS, ITEMS][len(given) :]))
