"""Toy tools: wheels made by hand, a catalogue that an entry point names, and an index of files."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.tools import catalogue
from isogloss.tools.environment import READY, key_of, tool_folder

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"


def make_wheel(folder: Path, name: str, modules: Mapping[str, str], version: str = "1.0") -> Path:
    """A pure Python wheel with the given modules."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {f"{module}.py": text for module, text in modules.items()}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(file, "w") as wheel:
        for path, text in {**files, f"{info}/RECORD": record}.items():
            wheel.writestr(path, text)
    return file


def write_catalogue(
    folder: Path,
    *,
    name: str = "toy",
    pins: Sequence[str] = ("toy-part==1.0", "toy_tool==1.0"),
    pythons: Sequence[str] = (RUNNING,),
    imports: Sequence[str] = ("toy_tool", "toy_part"),
    more: str = "",
) -> Path:
    """A catalogue of one tool with its lock file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "toy.txt").write_text("# pins\n" + "\n".join(pins) + "\n")
    file = folder / "catalogue.toml"
    file.write_text(
        f"""[[tool]]
name = "{name}"
version = "1.0"
summary = "a toy"
licence = "MIT"
pythons = {json.dumps(list(pythons))}
megabytes = 1
lock = "toy.txt"
imports = {json.dumps(list(imports))}
{more}
"""
    )
    return file


def write_plugin(folder: Path, value: str = "toy_catalogue:FILE") -> None:
    """A distribution on the path whose entry point names ``folder/catalogue.toml``."""
    info = folder / "toy_plugin-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[isogloss.tools]\ntoys = {value}\n")
    (folder / "toy_catalogue.py").write_text(
        "from pathlib import Path\nFILE = Path(__file__).with_name('catalogue.toml')\n"
    )


def pretend_environment(version: str = RUNNING) -> Path:
    """An environment of the toy as an installation leaves it."""
    tool = catalogue()["toy"]
    folder = tool_folder(tool) / key_of(tool, version)
    (folder / "venv-1" / "bin").mkdir(parents=True)
    (folder / "venv-1" / "bin" / "python").symlink_to(sys.executable)
    (folder / READY).write_text(json.dumps({"venv": "venv-1", "bytes": 12}))
    return folder


@dataclass(frozen=True, slots=True)
class Toy:
    """A toy tool that can be installed from files."""

    plugin: Path  # on the path; holds the catalogue
    index: Path  # the wheels
    home: Path  # ISOGLOSS_HOME

    @property
    def folder(self) -> Path:
        """The only environment's folder, made or half made."""
        (found,) = (self.home / "tools" / "toy").iterdir()
        return found


class Told:
    """Keeps what a progress is told."""

    def __init__(self) -> None:
        self.phases: list[tuple[str, int | None]] = []
        self.done: list[int] = []
        self.notes: list[str] = []

    def phase(self, label: str, total: int | None) -> None:
        self.phases.append((label, total))

    def advance(self, done: int, rows: int) -> None:
        assert done == rows
        self.done.append(done)

    def note(self, message: str) -> None:
        self.notes.append(message)
