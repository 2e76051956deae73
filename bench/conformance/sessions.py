"""Generated sessions of the variant: what is planted, and the talk and tool work around it.

Unlike those of the public suite they have no labels, values are corrected later in other words,
some of it is Japanese, calls and results stand between the statements, and talk goes on between
the rounds.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from trimtab.history.message import Message, Role, Text, ToolCall, ToolResult

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Item:
    """Something that the user said and that must be known at the end.

    Attributes:
        text: as it was said last.
        needs: lower-case words that show that it is known.
        before: as it was said earlier, with another value; empty where it never changed.
        stale: lower-case words that show that the earlier value is still held.
        twin: the key of an item that looks alike and is another; empty for none.
    """

    key: str
    text: str
    needs: tuple[str, ...]
    before: str = ""
    stale: tuple[str, ...] = ()
    twin: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A session: `first` is what is compacted in the first round, `later` what each further round
    adds."""

    first: tuple[Message, ...]
    later: tuple[tuple[Message, ...], ...]
    items: tuple[Item, ...]


FIRST = ("Elin", "Tomas", "Priya", "Jonas", "Aiko", "Marta", "Declan", "Yusuf", "Ingrid", "Noor")
LAST = ("Halvorsen", "Okafor", "Lindqvist", "Moreau", "Castellan", "Brandt", "Ferreira", "Novak")
FAMILY = ("佐藤", "鈴木", "高橋", "田中", "渡辺", "中村", "小林", "加藤")
TOWNS = ("Rotterdam", "Memphis", "Gdansk", "Porto", "Leeds", "Turin", "Malmo", "Ghent")
CITIES = ("大阪", "神戸", "名古屋", "札幌", "福岡", "仙台", "広島", "横浜")
TONGUES = ("French", "Spanish", "German", "Italian", "Dutch", "Polish")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
MONTHS = ("March", "April", "May", "June", "July", "August", "September", "October")


class Values:
    """Fresh values: no two of one session are alike."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._used: set[str] = set()

    def fresh(self, make: Callable[[], str]) -> str:
        """A value that this session has not seen."""
        while (value := make()) in self._used:
            continue
        self._used.add(value)
        return value

    def person(self) -> str:
        return self.fresh(lambda: f"{self.rng.choice(FIRST)} {self.rng.choice(LAST)}")

    def of(self, pool: tuple[str, ...]) -> str:
        return self.fresh(lambda: self.rng.choice(pool))

    def number(self, low: int, high: int, step: int = 1) -> str:
        return self.fresh(lambda: str(self.rng.randrange(low, high, step)))

    def date(self) -> str:
        return self.fresh(lambda: f"{self.rng.choice(MONTHS)} {self.rng.randrange(2, 28)}")

    def code(self, head: str) -> str:
        return self.fresh(lambda: f"{head}-{self.rng.randrange(1000, 9999)}")

    def host(self) -> str:
        word = "".join(self.rng.choice("bcdfglmnprst") + self.rng.choice("aeiou") for _ in range(3))
        return self.fresh(lambda: f"{word}{self.rng.randrange(1, 90)}.example.net")


def _low(*words: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def lasting(v: Values) -> list[Item]:
    """What is said once: rules, facts, preferences and open work."""
    who, clerk, host, code = v.person(), v.person(), v.host(), v.code("QR")
    limit, words, batch = v.number(300, 900, 10), v.number(40, 95), v.number(11, 39)
    bucket, day = v.code("vault"), v.of(DAYS)
    ja_person, ja_city, ja_days = v.of(FAMILY), v.of(CITIES), v.number(3, 9)
    kept = v.rng.choice
    return [
        Item(
            "transfer",
            kept([
                f"If a payout is above {limit} euros, stop and check with {who} first.",
                f"Stop and ask {who} whenever a payout goes above {limit} euros.",
            ]),
            _low(who, f"{limit} euros"),
        ),
        Item(
            "mailing",
            kept([
                f"Never mail customers from the {code} account.",
                f"Customers must not get any mail from account {code}.",
            ]),
            _low(code),
        ),
        Item(
            "mirror",
            kept([
                f"The package mirror sits at https://{host}/simple.",
                f"Packages come from https://{host}/simple, which is our mirror.",
            ]),
            _low(f"{host}/simple"),
        ),
        Item("invoices", f"{clerk} signs off the invoices.", _low(clerk, "invoices")),
        Item(
            "length",
            kept([
                f"I would like product texts of at most {words} words.",
                f"Keep each product text to {words} words or fewer.",
            ]),
            _low(f"{words} words"),
        ),
        Item(
            "batches",
            f"Imports have to run in batches of {batch} because the queue drops larger ones.",
            _low(f"batches of {batch}"),
        ),
        Item("backups", f"Backups of the shop go into bucket {bucket}.", _low(bucket, "backups")),
        Item(
            "open",
            f"Still open: whether refunds go out every {day} or once a month.",
            _low(f"every {day}", "refunds"),
        ),
        Item("tables", "I prefer tables over long prose in reports.", ("tables over long prose",)),
        Item(
            "ja-approval",
            f"本番環境の変更は、必ず{ja_person}さんの承認後に行うこと。",
            (ja_person, "承認後"),
        ),
        Item(
            "ja-stock",
            f"在庫の棚卸しは{ja_city}で{ja_days}日間行います。",
            (ja_city, f"{ja_days}日間"),
        ),
        Item("ja-names", "お客様の氏名はログに残さないでください。", ("氏名", "残さない")),
    ]  # fmt: skip


def changing(v: Values) -> list[Item]:
    """What is said twice: the later in other words and with another value."""
    cap, cap_now = v.number(2000, 4000, 100), v.number(4100, 6000, 100)
    due, due_now = v.date(), v.date()
    owner, owner_now = v.person(), v.person()
    tongue, tongue_now = v.of(TONGUES), v.of(TONGUES)
    sync, sync_now = v.of(DAYS), v.of(DAYS)
    branch, branch_now = v.code("work/shop"), v.code("work/shop")
    port, port_now = v.number(7000, 7999), v.number(8000, 8999)
    city, city_now = v.of(CITIES), v.of(CITIES)
    ja, ja_now = v.of(FAMILY), v.of(FAMILY)
    yen, yen_now = v.number(21, 49), v.number(51, 89)
    return [
        Item(
            "hosting",
            f"Update on hosting costs: they may now reach {cap_now} euros.",
            _low(f"{cap_now} euros"),
            f"Hosting costs must stay below {cap} euros.",
            _low(f"{cap} euros"),
        ),
        Item(
            "audit",
            f"The audit has been moved, it now takes place on {due_now}.",
            _low(due_now, "audit"),
            f"The date of the audit is {due}.",
            _low(due),
        ),
        Item(
            "app",
            f"{owner_now} has taken over the mobile app.",
            _low(owner_now, "mobile app"),
            f"The owner of the mobile app is {owner}.",
            _low(owner),
        ),
        Item(
            "notes",
            f"From now on, the release notes should be in {tongue_now}.",
            _low(tongue_now, "release notes"),
            f"Write the release notes in {tongue}.",
            _low(tongue),
        ),
        Item(
            "sync",
            f"We moved the weekly sync to {sync_now}.",
            _low(f"sync to {sync_now}"),
            f"The weekly sync is on {sync}.",
            _low(f"sync is on {sync}"),
        ),
        Item(
            "branch",
            f"We switched to branch {branch_now}.",
            _low(branch_now),
            f"The working branch is {branch}.",
            _low(branch),
        ),
        Item(
            "port",
            f"The metrics exporter now listens on {port_now}.",
            _low(port_now, "exporter"),
            f"The port of the metrics exporter is {port}.",
            _low(port),
        ),
        Item(
            "ja-delivery",
            f"納品先は{city_now}倉庫に変更になりました。",
            (f"{city_now}倉庫",),
            f"納品先は{city}倉庫です。",
            (f"{city}倉庫",),
        ),
        Item(
            "ja-contact",
            f"窓口の担当は{ja_now}さんに替わりました。",
            (f"{ja_now}さんに",),
            f"窓口の担当は{ja}さんです。",
            (f"{ja}さんです",),
        ),
        Item(
            "ja-budget",
            f"広告の予算は{yen_now}万円に増やします。",
            (f"{yen_now}万円",),
            f"広告の予算は{yen}万円までです。",
            (f"{yen}万円",),
        ),
    ]


def alike(v: Values) -> list[Item]:
    """Pairs that look alike and are different things: both must stay."""
    lunch, dinner = v.number(12, 19), v.number(31, 48)
    north, south = v.of(TOWNS), v.of(TOWNS)
    one, other = v.person(), v.person()
    hour, later = v.rng.randrange(7, 9), v.rng.randrange(10, 12)
    return [
        Item(
            "lunch", f"Lunch at the offsite costs {lunch} euros a head.",
            _low(f"{lunch} euros", "lunch"),
        ),
        Item(
            "dinner", f"Dinner at the offsite costs {dinner} euros a head.",
            _low(f"{dinner} euros", "dinner"), twin="lunch",
        ),
        Item("eu", f"The European warehouse is in {north}.", _low(north, "european")),
        Item("us", f"The American warehouse is in {south}.", _low(south, "american"), twin="eu"),
        Item("contracts", f"{one} reviews the contracts.", _low(one, "contracts")),
        Item(
            "orders", f"{other} reviews the purchase orders.", _low(other, "purchase orders"),
            twin="contracts",
        ),
        Item("ja-tokyo", f"東京支店は{hour}時に開きます。", ("東京支店", f"{hour}時")),
        Item(
            "ja-nagasaki", f"長崎支店は{later}時に開きます。", ("長崎支店", f"{later}時"),
            twin="ja-tokyo",
        ),
    ]  # fmt: skip


TASK = "Help me get the autumn version of our web shop ready."

CHAT = (
    "The category page feels a bit crowded to me.",
    "Somebody asked about dark mode again, nothing urgent.",
    "The gallery still looks odd on narrow screens.",
    "I had a look at the checkout flow over coffee.",
    "Search results come in a sensible order, I think.",
    "The icons were redrawn by the design people.",
    "Customers like the new product pictures so far.",
    "It rained all day here, so I read the style guide.",
    "The footer could do with some more breathing space.",
    "We talked about the wish list over lunch.",
    "商品一覧の見た目はだいぶ良くなりましたね。",
    "検索の並び順は自然だと思います。",
    "写真の色味が少し暗い気がします。",
    "デザインの話はまた今度にしましょう。",
)
ANSWERS = (
    "Noted.",
    "Okay.",
    "Understood, I will keep that in mind.",
    "承知しました。",
    "Got it, thanks for telling me.",
    "The page is built from small parts that each fetch their own data, so a slow part does not"
    " hold up the rest, and the layout only shifts where a picture arrives late.",
    "There are several ways to arrange this, each with its own merits, and the choice mostly"
    " depends on how often people come back to the page in one visit.",
    "Let me look at how the templates fit together before touching anything.",
)
SOURCE = (
    "export function render(list) {",
    "  const rows = list.map(toRow)",
    "  return wrap(rows, options)",
    "}",
    "function toRow(item) {",
    "  return [item.title, item.note]",
    "}",
    "// helpers for the template",
    "const options = { wide: true }",
    "import { wrap } from './wrap'",
)
PARTS = ("gallery", "basket", "search", "footer", "banner", "filters", "reviews", "wishlist")


def _say(role: Role, text: str) -> Message:
    return Message(role, (Text(text),))


def _talk(rng: random.Random, number: int) -> list[Message]:
    """A piece of talk, or a call with its result, that holds nothing to be remembered."""
    if rng.random() < 0.7:
        return [_say("user", rng.choice(CHAT)), _say("assistant", rng.choice(ANSWERS))]
    part, call = rng.choice(PARTS), f"call-{number}"
    rows = [rng.choice(SOURCE) for _ in range(rng.randrange(3, 7))]
    return [
        Message("assistant", (ToolCall(call, "read_file", {"path": f"web/{part}.ts"}),)),
        Message("tool", (ToolResult(call, (Text("\n".join(rows)),)),)),
        _say("assistant", "That part is plain, nothing to change there."),
    ]


def session(seed: int) -> Session:
    """The session of a seed: always the same."""
    rng = random.Random(40_000 + seed)
    values = Values(rng)
    lasts, changes, pairs = lasting(values), changing(values), alike(values)
    said = [item.before for item in changes]
    said += [item.text for item in (*lasts, *pairs)]
    rng.shuffle(said)
    corrections = [item.text for item in changes]
    rng.shuffle(corrections)
    messages = [_say("system", "You are a shop assistant. Be accurate."), _say("user", TASK)]
    number = 0
    for text in (*said, *corrections):
        messages += _talk(rng, number)
        number += 1
        messages += [_say("user", text), _say("assistant", rng.choice(ANSWERS[:5]))]
    later = []
    for _ in range(ROUNDS - 1):
        new: list[Message] = []
        for _ in range(3):
            new += _talk(rng, number)
            number += 1
        later.append(tuple(new))
    return Session(tuple(messages), tuple(later), (*lasts, *changes, *pairs))
