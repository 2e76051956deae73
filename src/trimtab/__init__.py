"""trimtab keeps a long-running LLM agent inside its context window without losing what binds it.

The public surface is what this module names. It imports fast: a name is loaded on first use.

    history = trimtab.read("session.jsonl").history
    plan = trimtab.fit(history, trimtab.Budget(50_000), "required-first")
    request = trimtab.write(plan.projection.context()).value
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trimtab.context.blocks import block_id, evicted
    from trimtab.context.budget import Budget, parse_size
    from trimtab.context.edits import Edit
    from trimtab.context.explain import Explained, explain
    from trimtab.context.plan import Plan
    from trimtab.context.projection import Context, Projection, project
    from trimtab.context.server_side import ServerSide, server_side
    from trimtab.context.writing import write
    from trimtab.errors import (
        BlockDamaged,
        BlockNotFound,
        BudgetInfeasible,
        InputError,
        SessionConflict,
        SessionNotFound,
        StoreError,
        TrimtabError,
        UnknownFormatError,
        UsageError,
    )
    from trimtab.formats.recording import Problem, Recording
    from trimtab.formats.recording import read_recording as read
    from trimtab.formats.wire import Written, read_request, write_request
    from trimtab.history.exchanges import Exchange
    from trimtab.history.log import History
    from trimtab.history.message import (
        Document,
        Image,
        Message,
        Opaque,
        Text,
        Thinking,
        Tool,
        ToolCall,
        ToolResult,
        Usage,
    )
    from trimtab.history.repair import Repaired, repair
    from trimtab.history.rules import Violation, validate
    from trimtab.pins import Pin, find_pins, required_messages
    from trimtab.policies.policy import Policy
    from trimtab.policies.registry import POLICIES, fit, parse_policy
    from trimtab.session import Session
    from trimtab.session_async import AsyncSession
    from trimtab.session_log import Change, TurnUsage
    from trimtab.session_tools import SessionTools
    from trimtab.store.memory_tool import MemoryTool
    from trimtab.store.open import open_store
    from trimtab.store.protocol import Hit, Store
    from trimtab.summaries.guard import Evidence, GuardReport
    from trimtab.summaries.guard import check as check_summary
    from trimtab.summaries.handoff import handoff
    from trimtab.summaries.model import CallableSummariser, ModelSummariser
    from trimtab.summaries.request import Request, Summarised, Summariser
    from trimtab.summaries.template import Line, Summary
    from trimtab.tokens import Counter, counter_for
    from trimtab.triggers import Triggers, parse_trigger

__version__ = "0.1.0"

_PLACES = {
    "context.blocks": ("block_id", "evicted"),
    "context.budget": ("Budget", "parse_size"),
    "context.edits": ("Edit",),
    "context.explain": ("Explained", "explain"),
    "context.plan": ("Plan",),
    "context.projection": ("Context", "Projection", "project"),
    "context.server_side": ("ServerSide", "server_side"),
    "context.writing": ("write",),
    "errors": (
        "BlockDamaged",
        "BlockNotFound",
        "BudgetInfeasible",
        "InputError",
        "SessionConflict",
        "SessionNotFound",
        "StoreError",
        "TrimtabError",
        "UnknownFormatError",
        "UsageError",
    ),
    "formats.recording": ("Problem", "Recording", "read"),
    "formats.wire": ("Written", "read_request", "write_request"),
    "history.exchanges": ("Exchange",),
    "history.log": ("History",),
    "history.message": (
        "Document",
        "Image",
        "Message",
        "Opaque",
        "Text",
        "Thinking",
        "Tool",
        "ToolCall",
        "ToolResult",
        "Usage",
    ),
    "history.repair": ("Repaired", "repair"),
    "history.rules": ("Violation", "validate"),
    "pins": ("Pin", "find_pins", "required_messages"),
    "policies.policy": ("Policy",),
    "policies.registry": ("POLICIES", "fit", "parse_policy"),
    "session": ("Session",),
    "session_async": ("AsyncSession",),
    "session_log": ("Change", "TurnUsage"),
    "session_tools": ("SessionTools",),
    "store.memory_tool": ("MemoryTool",),
    "store.open": ("open_store",),
    "store.protocol": ("Hit", "Store"),
    "summaries.guard": ("Evidence", "GuardReport", "check_summary"),
    "summaries.handoff": ("handoff",),
    "summaries.model": ("CallableSummariser", "ModelSummariser"),
    "summaries.request": ("Request", "Summarised", "Summariser"),
    "summaries.template": ("Line", "Summary"),
    "tokens": ("Counter", "counter_for"),
    "triggers": ("Triggers", "parse_trigger"),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}
_NAMED_ELSEWHERE = {"read": "read_recording", "check_summary": "check"}

__all__ = [
    "POLICIES",
    "AsyncSession",
    "BlockDamaged",
    "BlockNotFound",
    "Budget",
    "BudgetInfeasible",
    "CallableSummariser",
    "Change",
    "Context",
    "Counter",
    "Document",
    "Edit",
    "Evidence",
    "Exchange",
    "Explained",
    "GuardReport",
    "History",
    "Hit",
    "Image",
    "InputError",
    "Line",
    "MemoryTool",
    "Message",
    "ModelSummariser",
    "Opaque",
    "Pin",
    "Plan",
    "Policy",
    "Problem",
    "Projection",
    "Recording",
    "Repaired",
    "Request",
    "ServerSide",
    "Session",
    "SessionConflict",
    "SessionNotFound",
    "SessionTools",
    "Store",
    "StoreError",
    "Summarised",
    "Summariser",
    "Summary",
    "Text",
    "Thinking",
    "Tool",
    "ToolCall",
    "ToolResult",
    "Triggers",
    "TrimtabError",
    "TurnUsage",
    "UnknownFormatError",
    "Usage",
    "UsageError",
    "Violation",
    "Written",
    "block_id",
    "check_summary",
    "counter_for",
    "evicted",
    "explain",
    "find_pins",
    "fit",
    "handoff",
    "open_store",
    "parse_policy",
    "parse_size",
    "parse_trigger",
    "project",
    "read",
    "read_request",
    "repair",
    "required_messages",
    "server_side",
    "validate",
    "write",
    "write_request",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'trimtab' has no attribute {name!r}")
    from importlib import import_module

    loaded = import_module(f"trimtab.{module}")
    found = globals()[name] = getattr(loaded, _NAMED_ELSEWHERE.get(name, name))
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
