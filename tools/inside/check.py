"""Imports the modules that it is given, as proof that an environment works."""

from __future__ import annotations

import importlib
import sys

if __name__ == "__main__":
    for module in sys.argv[1:]:
        importlib.import_module(module)
