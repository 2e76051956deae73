"""A shorter form of a long text, with what acts word for word."""

from trimtab.slimming.registry import slim
from trimtab.slimming.slimmed import Slimmed

__all__ = ["Slimmed", "slim"]
