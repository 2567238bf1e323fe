"""Relevant unchanged files, and RL-ready instances (paper 2.1)."""

from openswerl.relate.predict import predict, rank
from openswerl.relate.ranking import Ranked
from openswerl.relate.tree import Tree

__all__ = ["Ranked", "Tree", "predict", "rank"]
