"""The scoring engine: log P(continuation | context), each prefix computed once."""

from .request import Context, Score, Scored, ScoreRequest
from .scorer import Scorer, load_scorer

__all__ = ["Context", "Score", "ScoreRequest", "Scored", "Scorer", "load_scorer"]
