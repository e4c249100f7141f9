"""The report of one or several runs: one page, figures, and tables for a paper."""

from .reading import Run, TaskResult, read_runs
from .sections import Column, Section, sections_of
from .writing import report_folder, write_report

__all__ = [
    "Column",
    "Run",
    "Section",
    "TaskResult",
    "read_runs",
    "report_folder",
    "sections_of",
    "write_report",
]
