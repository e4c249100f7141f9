"""The engine that runs a builder's steps; builders and steps declare, it executes."""

from .pipeline import Pipeline
from .progress import Progress, Silent
from .run import BuildResult, dry_run, run
from .step import Outcome, Rejection, Step, apply_step, reject_where

__all__ = [
    "BuildResult",
    "Outcome",
    "Pipeline",
    "Progress",
    "Rejection",
    "Silent",
    "Step",
    "apply_step",
    "dry_run",
    "reject_where",
    "run",
]
