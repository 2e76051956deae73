"""Sources and summaries that the guard was tuned on; the marks are explained in `guarding.py`."""

from __future__ import annotations

from bench.guarding_marks import Scenario

SCENARIOS = (
    Scenario(
        name="flaky test",
        sources=(
            "The nightly build is flaky. Find out why. Do not push to main without my approval, and"
            " spend at most $500 on runners. Never touch src/legacy/. The fix has to be in by"
            " 2026-03-05.",
            "$ pytest -q tests/test_queue.py\n1,204 passed, 37 failed in 92.4 s\nE   TimeoutError:"
            " job 88213 waited 350 ms\ntests/test_queue.py:218: in test_drain",
            "The worker in src/queue/worker.py polls every 350 ms; commit 9f3c2ab41 of 2026-02-11"
            " lowered it. PR-482 has the details: https://git.example.com/shop/pull/482",
            "runner usage: 61.5% of 2,400 minutes, exit code 137, Python 3.11.9",
        ),
        required=(
            "Do not push to main without my approval",
            "spend at most $500 on runners.",
            "Never touch src/legacy/.",
        ),
        rules=(
            (
                "No push to main without the user's approval.",
                ("Push to main without approval.", "You may push to main without my approval."),
            ),
            ("Runners may cost at most [[money|$500]].", ("Runners may cost at least $500.",)),
            (
                "src/legacy/ must never be touched.",
                ("src/legacy/ may be touched.", "Touch src/legacy/."),
            ),
        ),
        facts=(
            "[[number|1,204]] tests passed and [[number|37]] failed in [[quantity|92.4 s]].",
            "The timeout is at [[path|tests/test_queue.py]], line [[number|218]], in job [[number|88213]].",
            "[[path|src/queue/worker.py]] polls every [[quantity|350 ms]] since commit [[hash|9f3c2ab41]].",
            "See [[identifier|PR-482]] ([[url|https://git.example.com/shop/pull/482]]).",
            "The fix is due by [[date|2026-03-05]].",
            "Runners used [[percentage|61.5%]] of [[quantity|2,400 minutes]] on Python [[version|3.11.9]]; one ended with [[error|exit code 137]].",
        ),
        units=(
            ("92.4 s", "92.4 min"),
            ("350 ms", "350 s"),
            ("$500", "€500"),
            ("2,400 minutes", "2,400 hours"),
            ("61.5%", "61.5 s"),
        ),
        dates=(
            ("2026-03-05", "2026-03-15"),
            ("2026-03-05", "2026-05-03"),
            ("2026-03-05", "March 6, 2026"),
        ),
        inventions=(
            ("number", "It took 4,117 retries."),
            ("path", "The bug is in src/queue/retry_policy.py."),
            ("identifier", "Related to PR-519."),
            ("url", "Docs: https://docs.example.com/queue/tuning"),
            ("date", "It broke on 2026-01-29."),
            ("quote", 'The log says "connection pool exhausted".'),
            ("hash", "Reverted 77e1b0d92."),
            ("money", "Runners cost $340 so far."),
        ),
        honest=(
            "Goal: fix the flaky nightly build; due March 5, 2026; no pushes to main unless approved; at most 500 dollars for runners; never touch src/legacy.",
            "37 of the tests fail (1204 pass). Cause: worker.py polls every 350ms since 9f3c2ab. Never touch src/legacy, spend no more than USD 500 on runners and do not push to main without my approval.",
            "With 61.5 percent of the 2400 minutes used, runner spend stays at most $500. Pushing to main is not allowed without approval. src/legacy/ stays untouched. PR #482 is due 5 March 2026.",
        ),
    ),
    Scenario(
        name="請求書",
        sources=(
            "三月分の請求書を確認して、2026年3月31日までに経理へ送ってください。承認なしに送信しないこと。"
            "予算は50万円以内にしてください。顧客の個人情報は外部に共有しないでください。",
            "請求書番号 INV-20931、金額 482,500円（税込）、支払期限 2026年4月30日、担当 sato@example.co.jp",
            "取引先は「株式会社みどり」。前回の金額は398,000円で、増加率は21.2%でした。",
            "ファイル: /data/invoices/2026-03/INV-20931.pdf（2.4 MB）。ポータル https://portal.example.co.jp/inv/20931",
        ),
        required=(
            "承認なしに送信しないこと。",
            "予算は50万円以内にしてください。",
            "顧客の個人情報は外部に共有しないでください。",
        ),
        rules=(
            ("承認なしの送信は禁止。", ("承認なしに送信してよい。", "承認なしで送信する。")),
            ("予算は[[money|50万円]]以内。", ("予算は50万円以上。",)),
            (
                "顧客の個人情報を外部に共有しない。",
                ("顧客の個人情報を外部に共有する。", "顧客の個人情報は外部に共有してよい。"),
            ),
        ),
        facts=(
            "請求書[[identifier|INV-20931]]の金額は[[money|482,500円]]。",
            "前回は[[money|398,000円]]で、[[percentage|21.2%]]の増加。",
            "支払期限は[[date|2026年4月30日]]、経理への送付は[[date|2026年3月31日]]まで。",
            "ファイルは[[path|/data/invoices/2026-03/INV-20931.pdf]]（[[quantity|2.4 MB]]）。",
            "担当は[[email|sato@example.co.jp]]、取引先は[[quote|「株式会社みどり」]]。",
            "ポータルは[[url|https://portal.example.co.jp/inv/20931]]。",
        ),
        units=(
            ("482,500円", "482,500ドル"),
            ("50万円", "50億円"),
            ("2.4 MB", "2.4 GB"),
            ("398,000円", "398,000ユーロ"),
        ),
        dates=(
            ("2026年4月30日", "2026年4月20日"),
            ("2026年3月31日", "2026年5月31日"),
            ("2026年4月30日", "令和7年4月30日"),
        ),
        inventions=(
            ("money", "追加費用は12,300円。"),
            ("identifier", "関連する請求書はINV-20877。"),
            ("path", "控えは/data/invoices/2026-02/copy.pdfにある。"),
            ("url", "手順は https://wiki.example.co.jp/keiri を参照。"),
            ("date", "前回の送付は2026年2月27日。"),
            ("quote", "備考は「至急対応」。"),
            ("number", "登録番号は7741902。"),
        ),
        honest=(
            "令和8年3月31日までに経理へ送る。承認なしに送信しない。予算は500,000円以内。顧客の個人情報は外部共有禁止。",
            "INV-20931は482500円で、支払期限は4月30日。前回398000円から21.2％増。承認なしの送信は不可、予算は５０万円以内、個人情報の外部への共有は禁止。",
            "担当者sato@example.co.jp、取引先は株式会社みどり。予算¥500,000以内、顧客の個人情報は外部に共有しない。送信は承認後に限る。",
        ),
    ),
    Scenario(
        name="shopping",
        sources=(
            "Book a hotel in Kyoto for 12 to 15 June 2026. The room must cost no more than 18,000 yen a"
            " night. Do not pay before I confirm. Only look at hotels within 800 m of the station.",
            "[14] Hotel Kamo - ¥16,800 per night - 4.3 (1,287 reviews) - 650 m\n[15] Hotel Sanjo -"
            " ¥21,400 per night - 4.7 (903 reviews) - 1.2 km",
            "Booking page https://stay.example.jp/kamo?room=204 asks for a deposit of ¥5,000; free"
            " cancellation until 2026-06-09 18:00. Reference KM-77120.",
        ),
        required=(
            "The room must cost no more than 18,000 yen a night.",
            "Do not pay before I confirm.",
            "Only look at hotels within 800 m of the station.",
        ),
        rules=(
            (
                "Rooms cost at most [[money|18,000 yen]] a night.",
                ("Rooms cost at least 18,000 yen a night.",),
            ),
            (
                "Do not pay before the user confirms.",
                ("Pay before the user confirms.", "You may pay."),
            ),
            (
                "Only hotels within [[quantity|800 m]] of the station.",
                ("Hotels beyond at least 800 m of the station.",),
            ),
        ),
        facts=(
            "Hotel Kamo costs [[money|¥16,800]] and has [[number|1,287]] reviews.",
            "Hotel Sanjo costs [[money|¥21,400]] and is [[quantity|1.2 km]] away, Kamo [[quantity|650 m]].",
            "The deposit is [[money|¥5,000]], reference [[identifier|KM-77120]].",
            "Free cancellation until [[date|2026-06-09]] [[time|18:00]] at [[url|https://stay.example.jp/kamo?room=204]].",
            "Ratings are [[number|4.3]] and [[number|4.7]].",
        ),
        units=(
            ("¥16,800", "$16,800"),
            ("1.2 km", "1.2 m"),
            ("650 m", "650 km"),
            ("¥5,000", "€5,000"),
        ),
        dates=(("2026-06-09", "2026-06-19"), ("2026-06-09", "June 8, 2026"), ("18:00", "16:00")),
        inventions=(
            ("money", "Breakfast is ¥2,350."),
            ("identifier", "The other reference is KM-77455."),
            ("url", "Also see https://stay.example.jp/nijo?room=31"),
            ("date", "The price is valid until 2026-05-28."),
            ("number", "It has 3,442 photos."),
            ("quote", 'The page says "last room available".'),
        ),
        honest=(
            "Find a hotel in Kyoto, 12 to 15 June 2026, at most ¥18,000 per night, only within 800 metres of the station, and do not pay before confirmation.",
            "Kamo: 16,800 yen, 4.3 stars from 1287 reviews, 650 metres away. No payment before I confirm; only hotels within 800 m of the station; no more than 18000 yen a night.",
            "Until 9 June 2026, 6 pm, cancellation is free; the deposit of 5,000円 is due under KM-77120. A room may not cost more than 18,000円 a night; only hotels within 800 m of the station; payment must not happen before I confirm.",
        ),
    ),
    Scenario(
        name="移行",
        sources=(
            "本番のデータベースを移行してください。本番環境では実行しないこと。まずステージングだけで試してください。"
            "停止時間は30分以内にすること。バックアップは必ず取ってください。",
            "ステージング: PostgreSQL 15.4 から 16.2 へ。行数 8,412,077、所要時間 14分、ディスク 312GB。",
            "エラー: SQLSTATE 23505 duplicate key in table orders_2025（id=40917）。修正は migrations/0042_orders.sql。",
            "チケット OPS-3301、開始予定 2026年5月12日 午後11時。",
        ),
        required=(
            "本番環境では実行しないこと。",
            "停止時間は30分以内にすること。",
            "バックアップは必ず取ってください。",
        ),
        rules=(
            ("本番環境では実行しない。", ("本番環境で実行する。", "本番環境で実行してよい。")),
            ("停止時間は[[quantity|30分]]以内。", ("停止時間は30分以上。",)),
            ("必ずバックアップを取る。", ("バックアップは取らないこと。",)),
        ),
        facts=(
            "PostgreSQL [[version|16.2]]への移行、[[number|8,412,077]]行で[[quantity|14分]]、[[quantity|312GB]]。",
            "[[error|SQLSTATE 23505]]が表[[identifier|orders_2025]]のid=[[number|40917]]で発生。",
            "修正は[[path|migrations/0042_orders.sql]]、チケットは[[identifier|OPS-3301]]。",
            "開始は[[date|2026年5月12日]]の[[time|午後11時]]。",
        ),
        units=(("14分", "14時間"), ("312GB", "312MB"), ("30分", "30秒")),
        dates=(
            ("2026年5月12日", "2026年5月21日"),
            ("2026年5月12日", "2026年6月12日"),
            ("午後11時", "午前11時"),
        ),
        inventions=(
            ("number", "インデックスは3,358個。"),
            ("path", "設定はconfig/replica.ymlにある。"),
            ("identifier", "関連はOPS-3290。"),
            ("date", "前回の移行は2025年11月4日。"),
            ("quantity", "待ち時間は45秒だった。"),
            ("error", "SQLSTATE 40001も出た。"),
        ),
        honest=(
            "本番環境での実行は禁止で、停止時間は30分以内、バックアップを必ず取ること。",
            "ステージングで試した結果、8412077行が14分。PostgreSQL 16.2、ディスク312 GB。必ずバックアップを取り、本番環境では実行しない。停止は３０分以内。",
            "OPS-3301は5月12日23:00に開始する。停止時間の上限は30分。本番環境では実行不可。バックアップは必須（必ず取る）。",
        ),
    ),
)
