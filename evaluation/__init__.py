"""Evaluation: what language models make of the two sides of a corpus."""

from .data import Corpus, load_corpus
from .results import Result
from .run import evaluate
from .task import Answers, Measured, Metric, Request, TaskClass, task
from .tasks import chosen_tasks, tasks

__all__ = [
    "Answers",
    "Corpus",
    "Measured",
    "Metric",
    "Request",
    "Result",
    "TaskClass",
    "chosen_tasks",
    "evaluate",
    "load_corpus",
    "task",
    "tasks",
]
