"""The scoring engine: log P(continuation | context), each prefix computed once."""

from ..chat import Fault
from .request import CHAT, Context, Score, Scored, ScoreRequest
from .scorer import OVERLONG, Scorer, load_scorer, unserved
from .top import Top, TopRequest, TopScorer, load_top

__all__ = [
    "CHAT",
    "OVERLONG",
    "Context",
    "Fault",
    "Score",
    "ScoreRequest",
    "Scored",
    "Scorer",
    "Top",
    "TopRequest",
    "TopScorer",
    "load_scorer",
    "load_top",
    "unserved",
]
