"""Resources: which call sees or changes what, and which observations are stale."""

from trimtab.resources.configured import parse_rules, rules_of
from trimtab.resources.defaults import DEFAULT
from trimtab.resources.observations import Observation, observations
from trimtab.resources.rules import KINDS, Rule, Rules
from trimtab.resources.superseded import Superseded, superseded_observations

__all__ = [
    "DEFAULT",
    "KINDS",
    "Observation",
    "Rule",
    "Rules",
    "Superseded",
    "observations",
    "parse_rules",
    "rules_of",
    "superseded_observations",
]
