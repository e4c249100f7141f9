"""The folder for what is made once, on this machine."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["HOME", "home_folder"]

HOME = "ISOGLOSS_HOME"


def home_folder() -> Path:
    """What the variable ``ISOGLOSS_HOME`` names, or ``~/.cache/isogloss``."""
    home = os.environ.get(HOME)
    return (Path(home).expanduser() if home else Path.home() / ".cache" / "isogloss").absolute()
