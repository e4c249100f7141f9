"""Argilla's server as one process: no Elasticsearch, no Redis server, no Docker.

This package runs inside the isolated environment of the tool ``argilla-server``, where
nothing of Isogloss is installed: its modules import each other, that server and the standard
library only. :mod:`isogloss.annotation.serving` starts it.
"""
