"""The session that the pages show: a small task, six rounds of tools, nothing left out.

The repository, the commands and their output are real: the two tests did fail, and the change
made them pass. It is an Anthropic request as an agent sends it before its next turn; `docs/
example.json` is written from it, so that every command on the pages can be repeated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trimtab.formats.wire import read_request
from trimtab.history.log import History

PATH = Path(__file__).resolve().parent / "example.json"

SYSTEM = (
    "You are a coding agent in the repository shop/. Use the tools; say in one line what you"
    " are about to do. Run the tests before you say that something works."
)

TASK = (
    "With a discount, the total of an order is sometimes a cent off from what accounting"
    " computes. Find out why and fix it. Do not change the signature of total(), and keep all"
    " amounts in whole cents."
)

ORDER_PY = '''\
     1	"""Orders: lines, discount, total. Amounts are whole cents."""
     2	
     3	from dataclasses import dataclass, field
     4	
     5	
     6	@dataclass
     7	class Line:
     8	    name: str
     9	    cents: int
    10	    count: int = 1
    11	
    12	
    13	@dataclass
    14	class Order:
    15	    lines: list[Line] = field(default_factory=list)
    16	    discount_percent: int = 0
    17	
    18	    def subtotal(self) -> int:
    19	        return sum(line.cents * line.count for line in self.lines)
    20	
    21	    def discount(self) -> int:
    22	        """The discount, rounded once on the whole order."""
    23	        return round(self.subtotal() * self.discount_percent / 100)
    24	
    25	    def total(self) -> int:
    26	        off = sum(
    27	            round(line.cents * self.discount_percent / 100) * line.count
    28	            for line in self.lines
    29	        )
    30	        return self.subtotal() - off
'''

TEST_ORDER_PY = """\
     1	import pytest
     2	
     3	from shop.order import Line, Order
     4	
     5	
     6	def order(percent: int, *lines: Line) -> Order:
     7	    return Order(list(lines), discount_percent=percent)
     8	
     9	
    10	def test_no_discount():
    11	    assert order(0, Line("pen", 199, 3)).total() == 597
    12	
    13	
    14	def test_even_discount():
    15	    assert order(10, Line("book", 2000)).total() == 1800
    16	
    17	
    18	@pytest.mark.parametrize(
    19	    ("percent", "cents", "count", "total"),
    20	    [(15, 335, 1, 285), (15, 335, 3, 854), (7, 1995, 4, 7421)],
    21	)
    22	def test_discount_is_rounded_once(percent, cents, count, total):
    23	    assert order(percent, Line("mug", cents, count)).total() == total
    24	
    25	
    26	def test_discount_and_total_add_up():
    27	    o = order(15, Line("mug", 335, 3), Line("pen", 199, 2))
    28	    assert o.total() + o.discount() == o.subtotal()
"""

FAILING = """\
...FF.                                                                   [100%]
=================================== FAILURES ===================================
_________________ test_discount_is_rounded_once[15-335-3-854] __________________

percent = 15, cents = 335, count = 3, total = 854

    @pytest.mark.parametrize(
        ("percent", "cents", "count", "total"),
        [(15, 335, 1, 285), (15, 335, 3, 854), (7, 1995, 4, 7421)],
    )
    def test_discount_is_rounded_once(percent, cents, count, total):
>       assert order(percent, Line("mug", cents, count)).total() == total
E       AssertionError: assert 855 == 854
E        +  where 855 = total()
E        +    where total = Order(lines=[Line(name='mug', cents=335, count=3)], discount_percent=15).total
E        +      where Order(lines=[Line(name='mug', cents=335, count=3)], discount_percent=15) = order(15, Line(name='mug', cents=335, count=3))
E        +        where Line(name='mug', cents=335, count=3) = Line('mug', 335, 3)

tests/test_order.py:23: AssertionError
_________________ test_discount_is_rounded_once[7-1995-4-7421] _________________

percent = 7, cents = 1995, count = 4, total = 7421

    @pytest.mark.parametrize(
        ("percent", "cents", "count", "total"),
        [(15, 335, 1, 285), (15, 335, 3, 854), (7, 1995, 4, 7421)],
    )
    def test_discount_is_rounded_once(percent, cents, count, total):
>       assert order(percent, Line("mug", cents, count)).total() == total
E       AssertionError: assert 7420 == 7421
E        +  where 7420 = total()
E        +    where total = Order(lines=[Line(name='mug', cents=1995, count=4)], discount_percent=7).total
E        +      where Order(lines=[Line(name='mug', cents=1995, count=4)], discount_percent=7) = order(7, Line(name='mug', cents=1995, count=4))
E        +        where Line(name='mug', cents=1995, count=4) = Line('mug', 1995, 4)

tests/test_order.py:23: AssertionError
=========================== short test summary info ============================
FAILED tests/test_order.py::test_discount_is_rounded_once[15-335-3-854] - Ass...
FAILED tests/test_order.py::test_discount_is_rounded_once[7-1995-4-7421] - As...
2 failed, 4 passed in 0.08s
"""  # noqa: E501  # as pytest printed it

CALLERS = """\
shop/cart.py:6:    euros, cents = divmod(order.total(), 100)
shop/export.py:6:    return f"{number};{order.total():010d};{order.discount():08d}"
shop/order.py:23:        return round(self.subtotal() * self.discount_percent / 100)
shop/order.py:30:        return self.subtotal() - off
"""

PASSING = """\
......                                                                   [100%]
6 passed in 0.03s
"""

DIFF = """\
diff --git a/shop/order.py b/shop/order.py
index 66e334e..020d595 100644
--- a/shop/order.py
+++ b/shop/order.py
@@ -23,8 +23,4 @@ class Order:
         return round(self.subtotal() * self.discount_percent / 100)
 
     def total(self) -> int:
-        off = sum(
-            round(line.cents * self.discount_percent / 100) * line.count
-            for line in self.lines
-        )
-        return self.subtotal() - off
+        return self.subtotal() - self.discount()
"""

OLD = """\
        off = sum(
            round(line.cents * self.discount_percent / 100) * line.count
            for line in self.lines
        )
        return self.subtotal() - off
"""

TOOLS = (
    ("read", "Read a file, with line numbers.", ("path",)),
    ("run", "Run a shell command in the repository.", ("command",)),
    ("search", "Find a string in the repository.", ("pattern", "path")),
    ("edit", "Replace one piece of a file.", ("path", "old", "new")),
)


def request() -> dict[str, Any]:
    """The request body, anew at each call."""
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "system": SYSTEM,
        "tools": [_tool(*tool) for tool in TOOLS],
        "messages": [
            _user(TASK),
            _assistant(
                _thinking(
                    "A cent off with a discount: probably rounding in more than one place. I"
                    " need the code that computes the total and the tests that pin it.",
                    1,
                ),
                _text("I read the order code and its tests."),
                _call(1, "read", path="shop/order.py"),
                _call(2, "read", path="tests/test_order.py"),
            ),
            _user(_result(1, ORDER_PY), _result(2, TEST_ORDER_PY)),
            _assistant(
                _thinking(
                    "discount() rounds once on the whole order; total() rounds each unit price"
                    " and multiplies. They differ as soon as a count is above 1. The tests"
                    " should show it.",
                    2,
                ),
                _text("I run the tests."),
                _call(3, "run", command="python -m pytest -q"),
            ),
            _user(_result(3, FAILING, is_error=True)),
            _assistant(
                _text("I look for callers before I change total()."),
                _call(4, "search", pattern="total()", path="shop"),
            ),
            _user(
                _result(4, CALLERS),
                _text(
                    "By the way: the export goes to the bookkeeper, so its columns must stay as"
                    " they are."
                ),
            ),
            _assistant(
                _text("total() is to use discount(), so that both round once."),
                _call(
                    5,
                    "edit",
                    path="shop/order.py",
                    old=OLD,
                    new="        return self.subtotal() - self.discount()\n",
                ),
            ),
            _user(_result(5, "edited shop/order.py")),
            _assistant(
                _text("I run the tests again."), _call(6, "run", command="python -m pytest -q")
            ),
            _user(_result(6, PASSING)),
            _assistant(
                _thinking("All pass. One look at the diff before I report.", 3),
                _text("I check the diff."),
                _call(7, "run", command="git diff"),
            ),
            _user(_result(7, DIFF)),
            _assistant(
                _text(
                    "Fixed. total() rounded each unit price and then multiplied by the count;"
                    " discount() rounds once. total() now subtracts discount(). All 6 tests"
                    " pass; the signature and the export's columns are unchanged."
                )
            ),
            _user("Good. Now write one line for the changelog."),
        ],
    }


def history() -> History:
    """The session as a `History`, anew at each call."""
    return read_request(request())


def _tool(name: str, description: str, parameters: tuple[str, ...]) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "input_schema": {
            "type": "object",
            "properties": {parameter: {"type": "string"} for parameter in parameters},
            "required": list(parameters),
        },
    }


def _user(*content: Any) -> dict[str, Any]:
    if len(content) == 1 and isinstance(content[0], str):
        return {"role": "user", "content": content[0]}
    return {"role": "user", "content": list(content)}


def _assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _thinking(text: str, number: int) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": f"example-signature-{number}"}


def _call(number: int, name: str, **arguments: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number:02d}", "name": name, "input": arguments}


def _result(number: int, content: str, *, is_error: bool = False) -> dict[str, Any]:
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": f"toolu_{number:02d}",
        "content": content,
    }
    if is_error:
        block["is_error"] = True
    return block
