"""Relevant unchanged files, and RL-ready instances (paper 2.1)."""

from openswerl.relate.answers import NO_ANSWER
from openswerl.relate.ask import open_asker
from openswerl.relate.predict import consider, predict
from openswerl.relate.query import Query
from openswerl.relate.tree import Tree

__all__ = ["NO_ANSWER", "Query", "Tree", "consider", "open_asker", "predict"]
