"""Isolated tools: programs whose pins can't live beside ours, each in an environment of its own."""

from ..errors import ToolError
from .catalogue import Tool, catalogue
from .environment import Environment, installed, require
from .installing import install, remove
from .server import ServerProcess
from .worker import Failure, Worker

__all__ = [
    "Environment",
    "Failure",
    "ServerProcess",
    "Tool",
    "ToolError",
    "Worker",
    "catalogue",
    "install",
    "installed",
    "remove",
    "require",
]
