"""What can be wrong with a model's summary, or on the way to it, and what is done about it.

`OUTCOMES` states it all; docs/summaries.md shows the same table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from trimtab.history.message import Usage
from trimtab.summaries.request import NOTHING
from trimtab.summaries.template import HEADINGS

Again = Literal["with backoff", "with an order", "once", "never"]
Then = Literal["extractive", "mended", "taken as it is"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that an answer, or the way to it, can be.

    Attributes:
        what: what it is, in one line.
        again: whether the model is asked again: after a pause that grows, as often as the
            summariser's `retries`; with an order that names what was wrong, as often; once; never.
        then: what follows if that did not help: the extractive summary, the answer with its fault
            mended, or the answer as it is.
        order: what is added to the next request; what was found follows it.
    """

    what: str
    again: Again
    then: Then
    order: str = ""


_TEMPLATE = "Answer with the five headings " + " ".join(HEADINGS) + " and nothing before them."

OUTCOMES: Mapping[str, Outcome] = {
    # -- no answer came
    "rate-limited": Outcome(
        "429; a `Retry-After` is honoured, and one of over a minute is not waited for",
        "with backoff",
        "extractive",
    ),
    "server-error": Outcome("5xx, 529 overloaded, 408, 409, 425", "with backoff", "extractive"),
    "timed-out": Outcome("no whole answer within the time-out", "with backoff", "extractive"),
    "connection": Outcome(
        "no connection, or one that broke in mid-answer", "with backoff", "extractive"
    ),
    "malformed": Outcome(
        "no JSON, a page of HTML, or JSON without an answer in it", "with backoff", "extractive"
    ),
    "raised": Outcome("the caller's function raised an error", "with backoff", "extractive"),
    "overflow": Outcome(
        "the provider says that the input is longer than the window; half as much is sent",
        "once",
        "extractive",
    ),
    "rejected": Outcome("400, 401, 403, 404 and other 4xx; no quota", "never", "extractive"),
    # -- an answer without a summary
    "empty": Outcome("null or no text", "with an order", "extractive", _TEMPLATE),
    "only-thinking": Outcome(
        "thinking alone; more room is given",
        "with an order",
        "extractive",
        "Think briefly. " + _TEMPLATE,
    ),
    "refused": Outcome(
        "a refusal, by its field, its stop reason or its words",
        "with an order",
        "extractive",
        "The record is the user's own working log, and only its summary is asked for. " + _TEMPLATE,
    ),
    "tool-call": Outcome(
        "a call of a tool in place of text",
        "with an order",
        "extractive",
        "There are no tools here: write no call. " + _TEMPLATE,
    ),
    "continued": Outcome(
        "the conversation goes on in place of a summary",
        "with an order",
        "extractive",
        "Do not continue the record or answer it: summarise it. " + _TEMPLATE,
    ),
    "placeholder": Outcome(
        'a template with nothing in it, such as "(none - empty conversation)"',
        "with an order",
        "extractive",
        "The record above is not empty: state what happened in it. " + _TEMPLATE,
    ),
    "no-template": Outcome("none of the five sections", "with an order", "extractive", _TEMPLATE),
    # -- a summary with a fault
    "missing-sections": Outcome(
        "some sections are not there; they are then filled from H",
        "once",
        "mended",
        "Your last answer lacked sections. Write all five; these were missing:",
    ),
    "cut-off": Outcome(
        "it ends at the limit of its length; asked for shorter and given more room, then its "
        "last line goes",
        "once",
        "mended",
        "Your last answer was cut off. Write at most half as much.",
    ),
    "over-long": Outcome(
        "longer than the limit; then its least important lines go",
        "once",
        "mended",
        "Your last answer was too long. Leave out the least important statements; at most",
    ),
    "larger-than-source": Outcome(
        "longer than what it stands for; then its least important lines go",
        "once",
        "mended",
        "Your last answer was longer than the record. Write far less; at most",
    ),
    "invented": Outcome(
        "it states values that its sources do not; then these statements go, and where more than "
        "a quarter would, the whole",
        "once",
        "mended",
        "Your last answer held these, which the record does not. Leave them out, or copy the right "
        "ones from the record:",
    ),
    "lost": Outcome("required words are not in it; they are put back", "never", "mended"),
    "echoed": Outcome(
        "it states as a goal or a next step what only a tool's result says; then it is told as "
        "said by a result, or left out where it would set instructions aside",
        "never",
        "mended",
    ),
    "call-like": Outcome(
        "lines in the notation of calls; they are reworded, and markup and JSON left out",
        "never",
        "mended",
    ),
    "other-speakers": Outcome(
        "lines that speak for the user or the assistant; left out unless they quote them",
        "never",
        "mended",
    ),
    "other-language": Outcome("not in the user's language", "never", "taken as it is"),
}
"""Every outcome by the name with which its attempt's reason begins."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An outcome, and in one line what was found."""

    outcome: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.outcome}: {self.detail}" if self.detail else self.outcome

    @property
    def order(self) -> str:
        """What the next request says about it."""
        order = OUTCOMES[self.outcome].order
        return f"{order} {self.detail}" if order.endswith((":", "at most")) else order


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer.

    Attributes:
        outcome: the name in `OUTCOMES`.
        detail: what happened, in one line.
        wait: seconds that the server asks to wait; `None` where it does not.
        usage: what was reported all the same.
    """

    outcome: str
    detail: str = ""
    wait: float | None = None
    usage: Usage = NOTHING
