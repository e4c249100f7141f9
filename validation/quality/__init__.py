"""What a parallel corpus is worth, in one report: gates, texts, scores, agreement."""

from .measuring import Models, load_models
from .pairs import Columns, Pairs
from .processes import Processes
from .report import Quality, open_pairs, validate
from .running import fails_on, processes_for, report_folder
from .verdicts import VERDICTS, Check, Verdict
from .write import write_report

__all__ = [
    "VERDICTS",
    "Check",
    "Columns",
    "Models",
    "Pairs",
    "Processes",
    "Quality",
    "Verdict",
    "fails_on",
    "load_models",
    "open_pairs",
    "processes_for",
    "report_folder",
    "validate",
    "write_report",
]
