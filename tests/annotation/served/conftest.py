"""A real server for these tests: installed once, started once in each process of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from isogloss.annotation.home import open_home
from isogloss.annotation.serving import TOOL, serving
from isogloss.tests.annotation.served.site import Site
from isogloss.tools import Environment, install

Starts = Callable[..., AbstractContextManager[Site]]


@pytest.fixture(scope="session")
def environment() -> Environment:
    """The installed server; the first of the processes that want it installs it."""
    return install(TOOL)


@pytest.fixture(scope="session")
def start(environment: Environment) -> Starts:
    """Starts a server in a home folder."""

    @contextmanager
    def starting(folder: Path, **options: object) -> Iterator[Site]:
        home = open_home(folder, make=True)
        with serving(home, environment, port=0, **options) as served:  # type: ignore[arg-type]
            yield Site(home, served.url)

    return starting


@pytest.fixture(scope="session")
def site(start: Starts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that many tests share: project and rater names must be a test's own."""
    with start(tmp_path_factory.mktemp("site") / "home") as running:
        yield running
