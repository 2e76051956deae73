"""The expense session, part 2: the rules, the settlement, a changed limit, the review."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import Script, edit, found, read, run, say

CAP_OLD = """
    if meisai.shurui == "宿泊費":
        return min(meisai.kingaku, SHUKUHAKU_JOUGEN)
    return meisai.kingaku
"""

CAP_NEW = """
    if meisai.shurui == "宿泊費":
        return min(meisai.kingaku, SHUKUHAKU_JOUGEN * meisai.paku)
    return meisai.kingaku
"""

KAIGI_OLD = """
        elif meisai.kingaku / meisai.ninzuu >= KAIGI_JOUGEN:
            found.append(f"第5条: 1人あたり{meisai.kingaku // meisai.ninzuu:,}円")
"""

KAIGI_NEW = """
        elif meisai.kingaku > KAIGI_JOUGEN * meisai.ninzuu:
            # 切り上げ: 1円未満の超過も超過として見せる
            hitori = -(-meisai.kingaku // meisai.ninzuu)
            found.append(f"第5条: 1人あたり{hitori:,}円")
"""

SEISAN_OLD = """
    return [
        Seisan(shain, shinsei[shain], mitomeru[shain], karibarai.get(shain, 0))
        for shain in shinsei
    ]
"""

SEISAN_NEW = """
    taishou = set(shinsei) | {shain for shain, yen in karibarai.items() if yen}
    return [
        Seisan(shain, shinsei.get(shain, 0), mitomeru.get(shain, 0), karibarai.get(shain, 0))
        for shain in sorted(taishou)
    ]
"""

CHANGE = """
訂正があります。宿泊費の上限は、東京での宿泊に限り1泊13,500円に改定されました(9月1日の宿泊から)。備考が「東京」で
始まる明細が東京での宿泊です。ほかの都市は12,000円のままです。規程/ の本文は総務が直すので、あなたは触らないこと。
それと、変更するファイルは12個以内ではなく8個以内にしてください。
"""

TOKYO_OLD = """
        return min(meisai.kingaku, SHUKUHAKU_JOUGEN * meisai.paku)
"""

TOKYO_NEW = """
        return min(meisai.kingaku, shukuhaku_jougen(meisai) * meisai.paku)
"""

TOKYO_RULE = '''
def shukuhaku_jougen(meisai: Meisai) -> int:
    """第3条: この明細の1泊の上限(円)。"""
    if meisai.biko.startswith("東京") and meisai.hizuke >= TOKYO_KAITEI:
        return TOKYO_JOUGEN
    return SHUKUHAKU_JOUGEN


def nittou(jikan: int) -> int:
'''

TOKYO_TEST = """
@pytest.mark.parametrize(
    ("hi", "biko", "yen"),
    [
        (date(2025, 9, 1), "東京のホテル", 13500),
        (date(2025, 8, 31), "東京のホテル", 12000),
        (date(2025, 9, 1), "大阪のホテル", 12000),
        (date(2025, 9, 1), "大阪(東京支社の用)", 12000),
    ],
)
def test_東京の宿泊費は9月から13500円(hi, biko, yen):
    assert shiharai(Meisai("E-0101", hi, "宿泊費", 20000, 1, biko=biko)) == yen


def test_会議費は5000円ちょうどを認める():
"""


def rules() -> Script:
    """規程の境目。"""
    yield say(
        "規程の照合です。失敗を見てから、条文と一つずつ突き合わせます。",
        run("make kensa T=tests/test_kitei.py OPTS='--tb=line -v'"),
        read("規程/経費規程.md"),
        expect="9 failed",
    )
    yield say(
        "第3条: 泊数を掛ける。第4条: 8時間以上と4時間以上。",
        edit("keihi/kitei.py", CAP_OLD, CAP_NEW),
        edit("keihi/kitei.py", "    if jikan > 8:", "    if jikan >= 8:"),
        edit("keihi/kitei.py", "    if jikan > 4:", "    if jikan >= 4:"),
        run("make kensa T=tests/test_kitei.py OPTS='--tb=line -q'"),
        expect="5 failed",
    )
    yield say(
        "第5条: 掛け算で比べれば割り算も小数も要りません。表示は切り上げ、ご指示のとおりです。",
        edit("keihi/kitei.py", KAIGI_OLD, KAIGI_NEW),
        run("make kensa T=tests/test_kitei.py OPTS='--tb=line -q'"),
        expect="3 failed",
    )
    yield say(
        "第6条は3,000円を「超える」場合、空白だけの理由は理由と認めません。第7条は30日目まで。",
        edit(
            "keihi/kitei.py",
            "meisai.kingaku >= TAXI_RIYUU and not meisai.biko:",
            "meisai.kingaku > TAXI_RIYUU and not meisai.biko.strip():",
        ),
        edit(
            "keihi/kitei.py",
            "    if (shinsei - meisai.hizuke).days >= KIGEN:",
            "    if (shinsei - meisai.hizuke).days > KIGEN:",
        ),
        run("make kensa T=tests/test_kitei.py OPTS='--tb=short -q'"),
        expect="passed",
    )
    (result,) = yield say(
        "件数の報告のため、もう一度確認を走らせます。", run("make kakunin"), expect="問題"
    )
    kensuu = found(r"問題(\d+)件", result)
    yield say(
        f"報告: 問題は{kensuu}件になりました。条ごとの内訳です。",
        run(
            "make kakunin | grep -o '第[0-9]*条' | sort | uniq -c; make kakunin | grep -c 読めない"
        ),
        expect="第5条",
    )
    yield say(
        "第7条が1件もないか多すぎるかは、申請日 SHINSEI(2025年10月6日)で決まります。境目の日を数えます。",
        run("make kakunin | grep '第7条' | head -n 12; grep -n SHINSEI keihi/cli.py"),
        expect="SHINSEI = date(2025, 10, 6)",
    )
    yield say(
        "9月5日までの支出が期限切れで、9月6日は30日目なので認められます。条文どおりです。コミットします。",
        run(
            "git commit -qam '経費: 規程の境目を条文に合わせる' && git show --stat --format=%s HEAD"
        ),
        expect="keihi/kitei.py",
    )


def settle() -> Script:
    """精算と承認者。"""
    yield say(
        "精算です。",
        run("make kensa T=tests/test_seisan.py OPTS='--tb=short -v'"),
        expect="7 failed",
    )
    yield say(
        "第8条は「未満」なので、50,000円ちょうどは部長、200,000円ちょうどは役員です。第9条の差額は負にしません。",
        edit("keihi/seisan.py", "    if goukei <= 50000:", "    if goukei < 50000:"),
        edit("keihi/seisan.py", "    if goukei <= 200000:", "    if goukei < 200000:"),
        edit(
            "keihi/seisan.py",
            "        return self.mitomeru - self.karibarai",
            "        return max(0, self.mitomeru - self.karibarai)",
        ),
        edit(
            "keihi/seisan.py",
            "        return self.karibarai - self.mitomeru",
            "        return max(0, self.karibarai - self.mitomeru)",
        ),
        run("make kensa T=tests/test_seisan.py OPTS='--tb=line -q'"),
        expect="3 failed",
    )
    yield say(
        "仮払金だけの社員を含め、社員番号の順にします。",
        edit("keihi/seisan.py", SEISAN_OLD, SEISAN_NEW),
        run("make kensa T=tests/test_seisan.py OPTS='--tb=short -q'"),
        expect="1 failed",
    )
    yield say(
        "部門別は認める額で、所属が分からなければ「不明」です。",
        edit(
            "keihi/seisan.py",
            "table.setdefault(shozoku[row.shain], {})",
            'table.setdefault(shozoku.get(row.shain, "不明"), {})',
        ),
        edit(
            "keihi/seisan.py",
            "columns.get(row.shurui, 0) + row.kingaku",
            "columns.get(row.shurui, 0) + shiharai(row)",
        ),
        run("make kensa OPTS=-q"),
        expect="64 passed",
    )
    yield say(
        "64件すべて通りました。実際の精算と部門別の集計です。",
        run("make seisan"),
        run("make bumon"),
        expect=("E-0199", "不明"),
    )
    yield say(
        "「不明」は E-0124 で、data/社員.json にいません。E-0199 は仮払金20,000円だけで明細がなく、全額返金です。合計が合うかを、"
        "別の道で確かめます。",
        run(
            'python - <<"END"\n'
            "import json\n"
            "from keihi.kitei import shiharai\n"
            "from keihi.meisai import yomikomu\n"
            "from keihi.seisan import bumon, seisan\n"
            "rows = yomikomu('data/経費明細_2025年9月.csv', [])\n"
            "shain = json.load(open('data/社員.json', encoding='utf-8'))\n"
            "s = seisan(rows, {k: v['仮払金'] for k, v in shain.items()})\n"
            "b = bumon(rows, {k: v['部門'] for k, v in shain.items()})\n"
            "print(sum(x.mitomeru for x in s), sum(sum(c.values()) for c in b.values()), sum(map(shiharai, rows)))\n"
            "print(sum(x.shiharau - x.kaesu for x in s), sum(x.mitomeru - x.karibarai for x in s))\n"
            "END"
        ),
        beside=CHANGE,
    )
    yield say(
        "三つの合計は一致します。訂正も承知しました。東京は9月1日の宿泊から1泊13,500円、ほかは12,000円、ファイルは8個以内。"
        "まず今の分をコミットします。",
        run(
            "git commit -qam '経費: 承認者、仮払金、部門別集計' && git log --oneline -1; git diff --name-only main"
        ),
        expect="keihi/seisan.py",
    )


def tokyo() -> Script:
    """改定された上限。"""
    yield say(
        "東京の上限の試験を先に書きます。備考の途中に「東京」があるだけのものは対象外です。",
        edit("tests/test_kitei.py", "def test_会議費は5000円ちょうどを認める():", TOKYO_TEST),
        run("make kensa T=tests/test_kitei.py OPTS='--tb=line -q'"),
        expect="1 failed",
    )
    (before,) = yield say(
        "失敗するのは13,500円の1件だけで、ほかは今も正しい値です。変更の前の支払合計を控えます。",
        run("make seisan | grep -o '認定[0-9,]*' | tr -d '認定,' | awk '{s+=$1} END {print s}'"),
    )
    yield say(
        "規程の照合を直します。場所を確かめてから。",
        read("keihi/kitei.py", 1, 42),
        expect="SHUKUHAKU_JOUGEN = 12000",
    )
    yield say(
        "上限は定数 TOKYO_JOUGEN、改定の日は TOKYO_KAITEI とします。",
        edit(
            "keihi/kitei.py",
            "KAIGI_JOUGEN = 5000\n",
            'TOKYO_JOUGEN = 13500\n"""東京での宿泊の上限(1泊、円)。"""\n\nTOKYO_KAITEI = date(2025, 9, 1)\n"""この日の宿泊から TOKYO_JOUGEN による。"""\n\nKAIGI_JOUGEN = 5000\n',
        ),
        edit("keihi/kitei.py", TOKYO_OLD, TOKYO_NEW),
        edit("keihi/kitei.py", "def nittou(jikan: int) -> int:", TOKYO_RULE),
        run("make kensa OPTS=-q"),
        expect="68 passed",
    )
    (after,) = yield say(
        "68件通りました。支払合計はどれだけ増えたでしょうか。",
        run("make seisan | grep -o '認定[0-9,]*' | tr -d '認定,' | awk '{s+=$1} END {print s}'"),
    )
    fueta = int(after.strip()) - int(before.strip())
    yield say(
        f"{before.strip()}円から{after.strip()}円へ、{fueta:,}円の増です。増えた明細を一行ずつ確かめます。",
        run(
            'python - <<"END"\n'
            "from keihi.kitei import SHUKUHAKU_JOUGEN, shiharai\n"
            "from keihi.meisai import yomikomu\n"
            "kei = 0\n"
            "for r in yomikomu('data/経費明細_2025年9月.csv', []):\n"
            "    mae = min(r.kingaku, SHUKUHAKU_JOUGEN * r.paku)\n"
            "    if r.shurui == '宿泊費' and shiharai(r) > mae:\n"
            "        kei += shiharai(r) - mae\n"
            "        print(r.gyou, r.shain if r.shain != 'E-0107' else '(監査中)', r.biko, r.paku, r.kingaku, mae, '->', shiharai(r))\n"
            "print('計', kei)\n"
            "END"
        ),
        expect=f"計 {fueta}",
    )
    (kensuu,) = yield say(
        "すべて東京で、差額の計も一致します。コミットして、件数をもう一度確かめます。",
        run(
            "git commit -qam '経費: 東京の宿泊費は9月から1泊13,500円' && git log --oneline -1; make kakunin | tail -n 1"
        ),
        expect="問題",
    )
    yield say(
        f"報告: 問題は{found(r'問題([0-9]+)件', kensuu)}件で、上限の改定では変わりません(宿泊費の超過は本人負担で、問題には数えないため)。"
        "8月分が以前と同じ読み方で読めるかも見ます。書き換えはしません。",
        run(
            "make kakunin TSUKI=過去分/経費明細_2025年8月.csv | tail -n 3; git status --short 過去分"
        ),
        expect="260行",
    )
