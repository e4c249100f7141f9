"""Evaluation: what language models make of the two sides of a corpus."""

from .asking import read_prompt
from .data import Corpus, load_corpus
from .results import Result
from .run import evaluate
from .task import Answers, Measured, Metric, Question, Request, TaskClass, task
from .tasks import SUITES, chosen_tasks, tasks

__all__ = [
    "SUITES",
    "Answers",
    "Corpus",
    "Measured",
    "Metric",
    "Question",
    "Request",
    "Result",
    "TaskClass",
    "chosen_tasks",
    "evaluate",
    "load_corpus",
    "read_prompt",
    "task",
    "tasks",
]
