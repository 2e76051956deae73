"""The expense session, part 3: receipts used twice, and every rule checked."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import Script, edit, found, grep, read, run, say, user

NIJUU_TEST = """
def test_二重申請は最初の一度だけ精算する(tmp_path, monkeypatch, capsys):
    gyou = "E-0101,2025-09-01,交通費,700,,,,R-1\\n"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "社員.json").write_text('{"E-0101": {"部門": "営業部", "仮払金": 0}}', encoding="utf-8")
    (tmp_path / "m.csv").write_text("社員番号,日付,種類,金額,泊数,人数,備考,領収書番号\\n" + gyou * 3, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["seisan", "m.csv"]) == 0
    assert "支払700円" in capsys.readouterr().out


def test_明細のない社員の仮払金():
"""


def twice() -> Script:
    """二重申請を精算から外す。"""
    yield say(
        "一つ気づきました。二重申請の390行目(R-29119)と403行目(R-29033)は、確認では問題として出ますが、精算額には二度入っています。",
        run(
            "make seisan | grep -E '^E-(0116|0122)'; grep -nE 'R-29119|R-29033' data/経費明細_2025年9月.csv"
        ),
        expect=("E-0116", "403:"),
    )
    yield say(
        "判断をお願いします。二度目の明細を精算から外しますか、それとも本人に確かめるまで入れたままにしますか。外す場合、E-0116 は"
        "19,002円、E-0122 は20,800円の減です。data/ の行はどちらでも消しません。"
    )
    yield user(
        "外してください。最初の一度だけ払います。部門別も同じ扱いで。確認(kakunin)には今までどおり出すこと。"
    )
    yield say(
        "まず試験です。同じ領収書を三度書いた明細で、支払は一度分になるはずです。",
        edit("tests/test_seisan.py", "def test_明細のない社員の仮払金():", NIJUU_TEST),
        edit(
            "tests/test_seisan.py",
            "from keihi.meisai import Meisai\n",
            "from keihi.cli import main\nfrom keihi.meisai import Meisai\n",
        ),
        run("make kensa T=tests/test_seisan.py OPTS='--tb=short -q'"),
        expect="1 failed, 11 passed",
    )
    yield say(
        "2,100円になって失敗しました。`seisan` と `bumon` は渡された明細を足すだけのままにし、呼ぶ側の cli.py で外します。",
        read("keihi/cli.py", 20, 26),
        edit(
            "keihi/cli.py",
            '    if command == "seisan":',
            "    # 第10条: 二度目の領収書には払わない\n    futatabi = {row.gyou for row in nijuu(rows)}\n"
            '    rows = [row for row in rows if row.gyou not in futatabi]\n    if command == "seisan":',
        ),
        run("make kensa OPTS=-q"),
        expect="69 passed",
    )
    yield say(
        "69件通りました。二人の精算額と、確認の件数が変わらないことを見ます。",
        run("make seisan | grep -E '^E-(0116|0122)'; make kakunin | tail -n 1; make bumon"),
        expect="問題114件",
    )
    yield say(
        "E-0116 は19,002円、E-0122 は20,800円減り、確認は114件のままです。E-0116 は申請額が192,067円になり、"
        "承認者が役員から部長に変わります。コミットします。",
        run("git commit -qam '経費: 二度目の領収書は精算しない' && git log --oneline -1"),
    )


def check() -> Script:
    """約束を一つずつ確かめる。"""
    yield say(
        "最後に、約束を一つずつ確かめます。1と2: 触れたファイルです。",
        run("git diff --stat main; git diff --name-only main | grep -vcE '^(keihi|tests)/'"),
        expect="tests/test_kitei.py",
    )
    yield say(
        "keihi/ と tests/ のほかは0個です。3: 小数と割り算。",
        grep(r"float|round\(|[^/]/[^/]", "keihi"),
        run("cd keihi && grep -hE '^(import|from) ' *.py | sort | uniq -c"),
        expect="import unicodedata",
    )
    yield say(
        "割り算は残っておらず(見つかるのは文字列の中の「/」だけです)、外部ライブラリもありません(4)。6: E-0107 の明細が main と同じであること。",
        run(
            "git show main:data/経費明細_2025年9月.csv | grep '^E-0107' | sha256sum; grep '^E-0107' data/経費明細_2025年9月.csv | sha256sum; grep -rn 'E-0107' keihi tests | wc -l"
        ),
    )
    (names,) = yield say(
        "同じです。5と7: ファイルの数とコミットメッセージ。",
        run(
            "git diff --name-only main | wc -l; git log --format='%h %s' main..; git log --format=%s main.. | grep -vc '^経費: '; git remote | wc -l"
        ),
        expect="経費: 東京の宿泊費",
    )
    kazu = found(r"^(\d+)", names)
    yield say(
        f"{kazu}個で8個以内、すべて「経費: 」で始まり、送り先(remote)もありません。全体をもう一度走らせます。",
        run("make kensa"),
        run("make seisan; make bumon"),
        expect="69 passed",
    )
    yield say(
        "差分の全体です。見直しにお使いください。",
        run("git diff main"),
        expect="TOKYO_JOUGEN = 13500",
    )
    yield say(
        f"9月分は締められる状態です。試験69件がすべて通り、変更は{kazu}個のファイルです。\n\n"
        "- 宿泊費の上限: 12,000円、東京は9月1日の宿泊から13,500円(1泊)。\n"
        "- 承認者は申請額で決まり、50,000円から部長、200,000円から役員です。\n"
        "- 読めない行が2行: 59行目(9月31日)と205行目(弐万円)。二重申請が2行: 390行目と403行目(精算からは外しました)。data/ には触れていません。\n"
        "- E-0124 は data/社員.json になく、部門別では「不明」です。E-0199 は仮払金20,000円を全額返金です。\n"
        "- E-0107 の明細と 過去分/ には一切触れていません。"
    )
    yield user(
        "ありがとうございます。E-0124 は今月入社なので総務に伝えます。59行目と205行目は本人に差し戻します。"
    )
    yield say(
        "お願いします。差し戻しのあと `make kakunin` を走らせれば、59行目と205行目が消えることを確かめられます。規程/ の本文に東京の"
        "13,500円が入るまでは、keihi/kitei.py の TOKYO_JOUGEN が先に進んでいる状態です。"
    )
