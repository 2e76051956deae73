"""Side constraints as users word them, in five classes, English and Japanese.

`PLANTED` are put into recorded sessions and must be found; `HELD_OUT` were written before any rule
was tuned and no rule is ever tuned on them: they tell how much is found of what nobody has seen.
"""

from __future__ import annotations

from dataclasses import dataclass

CLASSES = ("action", "information", "process", "preference", "output")
"""What a side constraint is about, after COMPINT (arXiv 2608.11242)."""


@dataclass(frozen=True)
class Constraint:
    """One side constraint: its class, its language (`en`, `ja`), its words."""

    kind: str
    language: str
    text: str


def _all(language: str, **worded: tuple[str, str, str]) -> tuple[Constraint, ...]:
    return tuple(Constraint(kind, language, text) for kind in CLASSES for text in worded[kind])


PLANTED = (
    *_all(
        "en",
        action=(
            "Leave the vendored code under third_party alone.",
            "I'd rather you added no new dependency for this.",
            "Pushing to the remote is something I do myself.",
        ),
        information=(
            "Real customer names stay out of the fixtures.",
            "For prices, the list from 14 March 2026 is the one that counts.",
            "Treat the figures in report-07.xlsx as confidential.",
        ),
        process=(
            "Ask me before you touch the schema.",
            "One logical change per commit, please.",
            "Keep the diff small enough to review in one sitting.",
        ),
        preference=(
            "I'd rather you explained the cause than just handed me a patch.",
            "I like early returns better than nested conditions.",
            "When in doubt, the boring solution wins.",
        ),
        output=(
            "Answers in British spelling, please.",
            "Amounts are shown net of tax, with two decimals.",
            "Summaries of no more than 120 words.",
        ),
    ),
    *_all(
        "ja",
        action=(
            "third_party 以下の同梱コードには手を付けないでください。",
            "依存は増やさない方向でお願いします。",
            "リモートへの push は私がやります。",
        ),
        information=(
            "テストデータに実在の顧客名は入れないように。",
            "価格は2026年3月14日版の一覧が正です。",
            "report-07.xlsx の数字は社外秘扱いで。",
        ),
        process=(
            "スキーマに触る前に一声かけてください。",
            "コミットは論理的な変更ごとに一つで。",
            "差分は一度に見きれる大きさに抑えてください。",
        ),
        preference=(
            "パッチだけでなく、原因の説明があるほうがうれしいです。",
            "条件の入れ子より早期リターンのほうが好みです。",
            "迷ったら枯れたやり方を選んでください。",
        ),
        output=(
            "返答は箇条書きで。",
            "金額は税抜きで。",
            "要約は200字以内でお願いします。",
        ),
    ),
)

HELD_OUT = (
    *_all(
        "en",
        action=(
            "Hands off the nightly cron job.",
            "Restarting the database is my job, not yours.",
            "If a migration looks risky, stop and talk to me.",
        ),
        information=(
            "The staging credentials are not for the logs.",
            "Anything about salaries stays between us.",
            "Take the exchange rates from the ECB page rather than from memory.",
        ),
        process=(
            "Small steps, tests after each one.",
            "I'd like to see a plan before any code.",
            "Work through the tickets in the order they were filed.",
        ),
        preference=(
            "I'm not a fan of clever one-liners.",
            "Plain SQL over an ORM, if you have the choice.",
            "My team finds long functions hard to read, so short ones please.",
        ),
        output=(
            "Dates as 2026-03-14, not 14/3/26.",
            "Tables rather than prose when you compare things.",
            "File names in the report are relative to the repository root.",
        ),
    ),
    *_all(
        "ja",
        action=(
            "夜間バッチには触れずに進めてほしいです。",
            "本番の再起動はこちらでやります。",
            "移行が危なそうなら、そこで止めて声をかけて。",
        ),
        information=(
            "検証環境のパスワードはログに出さない方針です。",
            "給与の話はここだけにしておいてください。",
            "為替は記憶ではなく日銀の公表値から取ってください。",
        ),
        process=(
            "小さく進めて、そのたびにテストを流してください。",
            "コードより先に計画を見たいです。",
            "チケットは登録順に片付けてください。",
        ),
        preference=(
            "凝ったワンライナーは苦手です。",
            "選べるならORMより素のSQLがいいです。",
            "長い関数は読みにくいので、短めが助かります。",
        ),
        output=(
            "日付は2026-03-14の形で。",
            "比べるときは文章より表で見せてください。",
            "ファイル名はリポジトリの根元からの相対パスで書いてください。",
        ),
    ),
)

CORRECTIONS = (
    ("the tolerance", "The tolerance is 50 cents.", "The tolerance is 5 cents, not 50."),
    ("the port", "The service listens on port 8080.", "Actually, it's port 8081, not 8080."),
    ("the deadline", "The deadline is 3 June.", "Correction: the deadline is 10 June."),
    ("the database", "The database is PostgreSQL 15.", "PostgreSQL 16, not 15."),
    ("許容差", "許容差は50銭です。", "許容差は50銭ではなく5銭です。"),
    ("締め切り", "締め切りは6月3日です。", "訂正です、締め切りは6月10日です。"),
)
"""What was said first and how the user put it right later; the latter is required."""
