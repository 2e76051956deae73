"""The expense session, part 1: the task, amounts, dates, the CSV file."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import Script, edit, found, grep, list_dir, read, run, say, user

SYSTEM = """
あなたは一つのgitリポジトリ(/repo)で働くコーディングエージェントです。道具は read_file、write_file、
edit_file、run、grep、list_dir です。パスはリポジトリの根からの相対パスで書きます。

- 直す前に読む。コードより先に試験を読む。
- 何をなぜするかを短く述べてから道具を使う。互いに独立な呼び出しは一度にまとめる。
- 変更は小さく、まとまりごとにコミットする。
- 判断が利用者のものであるときは、尋ねて答えを待つ。
""".strip()

TASK = """
9月分の経費を明日締めます。`make kensa` が通り、`make kakunin` と `make seisan` が正しい結果を出すように
直してください。守ってほしいことは次のとおりです。

1. 過去分/ のファイルは変更しないこと。8月は締め済みです。
2. 変更の対象は keihi/ と tests/ に限定する。規程/ と data/ は読むだけにしてください。
3. 金額は整数の円で扱うこと。小数(float)の使用は禁止します。
4. 外部ライブラリの追加は、私の承認後にすること。
5. 変更するファイルは12個以内。
6. 社員番号 E-0107 の申請は監査中です。その明細には一切触れないこと。
7. コミットメッセージは必ず「経費: 」で始めること。push はしない。
8. 試験は `make kensa` だけで走らせること(一つだけなら T=... を付ける)。
"""

YOMU_OLD = """
    cleaned = text.replace(",", "").replace("円", "").replace("¥", "")
    return int(float(cleaned))
"""

YOMU_NEW = """
    # NFKC は全角の数字、読点、円記号を半角にそろえる
    match = KATACHI.fullmatch(unicodedata.normalize("NFKC", text).replace(" ", ""))
    if match is None:
        raise KingakuError(f"金額として読めない: {text!r}")
    yen = int(match.group(2).replace(",", ""))
    return -yen if match.group(1) else yen
"""

ANBUN_NEW = """
    shares = [total * weight // whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda number: -weights[number])
    for number in order[: total - sum(shares)]:
        shares[number] += 1
    return shares
"""

HIZUKE_OLD = """
    year, month, day = text.replace("/", "-").split("-")
    return date(int(year), int(month), int(day))
"""

HIZUKE_NEW = """
    match = KATACHI.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if match is None:
        raise ValueError(f"日付として読めない: {text!r}")
    reiwa, seireki, month, day = match.groups()
    year = 2018 + (1 if reiwa == "元" else int(reiwa)) if reiwa else int(seireki)
    return date(year, int(month), int(day))
"""

YOMIKOMU_OLD = """
        for gyou, row in enumerate(csv.DictReader(file), start=1):
            rows.append(
                Meisai(
                    row["社員番号"],
                    hizuke(row["日付"]),
                    row["種類"],
                    yomu(row["金額"]),
                    int(row["泊数"] or 0),
                    int(row["人数"] or 0),
                    row["備考"],
                    row["領収書番号"],
                    gyou,
                )
            )
    return rows
"""

YOMIKOMU_NEW = """
        # 1行目は見出しなので、明細は2行目から
        for gyou, row in enumerate(csv.DictReader(file), start=2):
            try:
                rows.append(_meisai(row, gyou))
            except ValueError as error:
                text = f"{gyou}行目: {error}"
                if mondai is None:
                    raise ValueError(text) from error
                mondai.append(text)
    return rows


def _meisai(row: dict[str, str], gyou: int) -> Meisai:
    return Meisai(
        row["社員番号"],
        hizuke(row["日付"]),
        row["種類"],
        yomu(row["金額"]),
        int(row["泊数"] or 0),
        int(row["人数"] or 0),
        row["備考"],
        row["領収書番号"],
        gyou,
    )
"""


def look() -> Script:
    """ひととおり読む。"""
    yield user(TASK)
    yield say(
        "まず全体を見ます。", list_dir(".", deep=True), expect="過去分/経費明細_2025年8月.csv"
    )
    yield say(
        "規程の本文と使い方を先に読みます。判断の拠り所はこの二つです。",
        read("README.md"),
        read("規程/経費規程.md"),
        read("Makefile"),
        expect="12,000円を上限",
    )
    yield say(
        "枝の状態と履歴です。",
        run("git status --short --branch; git log --stat --format='%h %ad %an %s' --date=short"),
        expect="kensa-9gatsu",
    )
    (result,) = yield say(
        "試験をすべて走らせます。", run("make kensa"), expect="33 failed, 31 passed"
    )
    took = found(r"passed in ([\d.]+)s", result)
    yield say(
        f"64件のうち33件が失敗、所要{took}秒です。残る二つのコマンドも見ます。",
        run("make kakunin"),
        run("make seisan"),
        expect="ValueError: not enough values to unpack",
    )
    yield say(
        "どちらも日付を読むところで止まっています。「令和7年」の形を読めないためです。コードを下から読みます。",
        read("keihi/kingaku.py"),
        read("tests/test_kingaku.py"),
        expect="int(float(cleaned))",
    )
    yield say(
        "`int(float(cleaned))` は小数を使っており、3番の禁止に反します。次に明細です。",
        read("keihi/meisai.py"),
        read("tests/test_meisai.py"),
        expect="start=1",
    )
    yield say(
        "行番号が見出しを数えておらず、`mondai` も使われていません。規程の照合を読みます。",
        read("keihi/kitei.py"),
        read("tests/test_kitei.py"),
        expect="SHUKUHAKU_JOUGEN = 12000",
    )
    yield say(
        "第3条は1泊につき12,000円ですが、`shiharai` は泊数を掛けていません。第5条から第7条の境目も一つずつずれています。",
        read("keihi/seisan.py"),
        read("tests/test_seisan.py"),
        read("keihi/cli.py"),
        expect="goukei <= 50000",
    )
    yield say(
        "データの様子です。E-0107 の明細は何行あるかだけ数え、中身には触れません。",
        run("wc -l data/* 過去分/*; head -n 40 data/経費明細_2025年9月.csv"),
        run("grep -c '^E-0107' data/経費明細_2025年9月.csv"),
        expect=("435 data", "16"),
    )
    yield say(
        "金額と日付の書き方を種類ごとに数えます。読み方を漏らさないためです。",
        run(
            "cut -d, -f2 data/経費明細_2025年9月.csv | sed 's/[0-9]\\{1,\\}/N/g' | sort | uniq -c; "
            "sed 's/[0-9]/9/g' data/経費明細_2025年9月.csv | grep -o '\"[^\"]*\"' | sort | uniq -c | head -n 20"
        ),
        expect="令和N年N月N日",
    )
    yield say(
        "二点、判断をお願いします。\n\n"
        "1. 会議費が1人あたり5,000円を1円未満だけ超える場合(20,001円を4人など)。試験は認めない側ですが、規程の第5条は"
        "何も言っていません。\n"
        "2. 宿泊費の上限を超えた額は本人負担(第3条)ですが、承認者(第8条)は申請額と認める額のどちらで決めますか。"
    )
    yield user(
        "1は認めないでください。切り上げて5,001円と表示します。2は申請額です。\n"
        "それから、`make kakunin` の問題の件数は経理部長に報告するので、直すたびに件数を教えてください。"
        "終わるまで席を外しますので、そのまま進めてください。"
    )


def amounts() -> Script:
    """金額。"""
    yield say(
        "承知しました。切り上げて表示、承認者は申請額で決めます。金額から始めます。失敗の中身です。",
        run("make kensa T=tests/test_kingaku.py OPTS='--tb=short -v'"),
        expect="11 failed, 10 passed",
    )
    yield say(
        "正規表現と整数だけで読みます。全角は NFKC でそろえます。どちらも標準ライブラリなので、4番の承認は要りません。",
        edit("keihi/kingaku.py", YOMU_OLD, YOMU_NEW),
        edit(
            "keihi/kingaku.py",
            "from __future__ import annotations\n",
            'from __future__ import annotations\n\nimport re\nimport unicodedata\n\nKATACHI = re.compile(r"(△|-)?¥?(\\d{1,3}(?:,\\d{3})+|\\d+)円?")\n',
        ),
        run("make kensa T=tests/test_kingaku.py OPTS='--tb=short -q'"),
        expect="3 failed, 18 passed",
    )
    yield say(
        "読むほうは通りました。試験にない書き方がないか、9月分の金額をすべて読ませます。",
        run(
            'python - <<"END"\n'
            "import csv\n"
            "from collections import Counter\n"
            "from keihi.kingaku import KingakuError, yomu\n"
            "kei = Counter()\n"
            "for row in csv.DictReader(open('data/経費明細_2025年9月.csv', encoding='utf-8')):\n"
            "    try:\n        yomu(row['金額']); kei['読めた'] += 1\n"
            "    except KingakuError as error:\n        kei['読めない'] += 1; print(error)\n"
            "print(dict(kei))\n"
            "END"
        ),
        expect=("弐万円", "'読めない': 1"),
    )
    yield say(
        "434行のうち読めないのは「弐万円」だけで、これは読めないのが正しい行です。残る失敗の一覧です。",
        run("make kensa T=tests/test_kingaku.py OPTS='--tb=line -q' | grep -E 'FAILED|^E  '"),
        expect="FAILED",
    )
    yield say(
        "残りは `kaku` の△と按分でした。按分は余りを比の大きい方から1円ずつ配ります。",
        edit(
            "keihi/kingaku.py",
            '    return f"{yen:,}円"',
            "    return f\"{'△' if yen < 0 else ''}{abs(yen):,}円\"",
        ),
        edit(
            "keihi/kingaku.py",
            "    return [round(total * weight / whole) for weight in weights]",
            ANBUN_NEW,
        ),
        run("make kensa T=tests/test_kingaku.py OPTS='--tb=short -q'"),
        expect="21 passed",
    )
    yield say(
        "21件すべて通りました。ほかに小数が残っていないか探し、コミットします。",
        grep(r"float|round\(| / ", "keihi"),
        run("git commit -qam '経費: 金額を整数だけで読み書きする' && git log --oneline -1"),
        expect="keihi/kitei.py",
    )


def rows() -> Script:
    """日付と明細。"""
    yield say(
        "kitei.py に割り算が一つ残っています(会議費)。あとで直します。次は日付と明細です。",
        run("make kensa T=tests/test_meisai.py OPTS='--tb=short -v'"),
        expect="6 failed",
    )
    yield say(
        "令和は2018を足し、元年は1年とします。形を正規表現で決めるので、「9月3日」は断られます。",
        edit("keihi/meisai.py", HIZUKE_OLD, HIZUKE_NEW),
        edit(
            "keihi/meisai.py",
            "from keihi.kingaku import yomu\n",
            'from keihi.kingaku import yomu\n\nKATACHI = re.compile(\n    r"(?:令和(元|\\d+)年|(\\d{4})[-/年])(\\d{1,2})[-/月](\\d{1,2})日?"\n)\n',
        ),
        edit("keihi/meisai.py", "import csv\n", "import csv\nimport re\nimport unicodedata\n"),
        run("make kensa T=tests/test_meisai.py OPTS='--tb=short -q'"),
        expect="3 failed",
    )
    yield say(
        "次に、読めない行を伝えて残りを読むこと、行番号を2から数えること。",
        edit("keihi/meisai.py", YOMIKOMU_OLD, YOMIKOMU_NEW),
        run("make kensa T=tests/test_meisai.py OPTS='--tb=short -q'"),
        expect="1 failed",
    )
    yield say(
        "残りは二重申請です。番号のない明細どうしを二重と数えていました。",
        edit(
            "keihi/meisai.py",
            "        if row.ryoushuu in seen:",
            "        if row.ryoushuu and row.ryoushuu in seen:",
        ),
        run("make kensa T=tests/test_meisai.py OPTS='--tb=short -q'"),
        expect="passed",
    )
    (result,) = yield say(
        "実際の明細を読ませます。",
        run("make kakunin"),
        expect=("読めない 59行目", "領収書"),
    )
    kensuu = found(r"問題(\d+)件", result)
    yield say(
        f"報告: `make kakunin` の問題は{kensuu}件です。ただし規程の境目がまだ直っていないので、これから減ります。"
        "読めない2行と二重申請の2行を確かめます。",
        run(
            "sed -n '59p;205p;390p;403p' data/経費明細_2025年9月.csv; make kakunin | grep -E '読めない|第10条'"
        ),
        expect=("R-20931", "弐万円"),
    )
    yield say(
        "59行目は9月31日、205行目は「弐万円」です。data/ は読むだけという約束なので、行はそのままにして報告します。コミットします。",
        run("git commit -qam '経費: 令和の日付、読めない行、二重申請' && git log --oneline -2"),
    )
