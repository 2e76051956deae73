"""What `trimtab.toml` and the caller say besides a policy's name: rules, and the summariser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from trimtab.config import Settings
from trimtab.errors import UsageError
from trimtab.policies.pipeline import Pipeline
from trimtab.policies.policy import Policy
from trimtab.policies.registry import policy_class
from trimtab.resources import DEFAULT


def configured(policy: Policy, settings: Settings, summariser: Any = None) -> Policy:
    """The policy with what was left open filled in; what a caller has set stays.

    Args:
        settings: `[[resources]]` gives the rules of what supersedes what, `[summary]` the model
            that summarises, `[windows]` N and W by kind of work.
        summariser: as in `Session`.

    Raises:
        UsageError: no such summariser, its package is not installed, or it has no key.
        InputError: an entry of the settings is not as it should be; it names the key.
    """
    found: dict[str, Any] = {}
    layers = layers_of(policy)
    if layers:
        found["policies"] = tuple(configured(layer, settings, summariser) for layer in layers)
    if getattr(policy, "rules", None) is DEFAULT:
        from trimtab.resources import rules_of

        found["rules"] = rules_of(settings)
    told = summariser is not None or settings.tables.get("summary")
    if told and getattr(policy, "summariser", policy) is None:
        from trimtab.summaries.model import summariser_of

        found["summariser"] = summariser_of(summariser, settings)
    if getattr(policy, "category", None) is not None:
        from trimtab.policies.windows import windows_of

        found["windows"] = windows_of(settings)
    if not found:
        return policy
    return _with(policy, found)


def layers_of(policy: Policy) -> tuple[Policy, ...]:
    """The policies that a policy runs, where it runs others."""
    if not isinstance(policy, Pipeline):
        return ()
    return policy.policies or tuple(policy_class(layer)() for layer in policy.layers)


def with_fields(policy: Policy, fields: Sequence[str]) -> Policy:
    """The policy with its slimming told which fields of JSON results stay.

    Args:
        fields: dotted paths such as `items[].id`.

    Raises:
        UsageError: it slims nothing.
    """
    given: dict[str, Any] = {}
    if hasattr(policy, "fields"):
        given["fields"] = tuple(fields)
    elif any(hasattr(layer, "fields") for layer in layers_of(policy)):
        given["policies"] = tuple(
            with_fields(layer, fields) if hasattr(layer, "fields") else layer
            for layer in layers_of(policy)
        )
    else:
        raise UsageError(f"--fields: the policy {policy.name} slims nothing")
    return _with(policy, given)


def summarises(policy: Policy) -> bool:
    """It makes summaries, itself or in a layer."""
    return hasattr(policy, "summariser") or any(map(summarises, layers_of(policy)))


def _with(policy: Policy, given: dict[str, Any]) -> Policy:
    """The policy with other values. It is a frozen dataclass, which a protocol cannot say."""
    changed: Policy = replace(cast(Any, policy), **given)
    return changed
