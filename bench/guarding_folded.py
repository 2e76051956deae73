"""Scenarios that were held out at first, and were tuned on after they were measured."""

from __future__ import annotations

from bench.guarding_marks import Scenario

SCENARIOS = (
    Scenario(
        name="memory leak",
        sources=(
            "Our API leaks memory. Please find the leak. You must not restart the production pods."
            " Ask me before you change any Helm values. Keep the p99 latency below 250 ms. Reply in"
            " at most 40 lines.",
            "kubectl top pods\napi-7d9f8c6b5-x2x4z   812m   1,930Mi\nrestarts: 14 since 2026-01-07T08:15:00Z",
            "heap profile: 73.8 % in cache/lru_store.go:144, 2,618,400 objects, growing 4.5 MB/s",
            "Image registry.example.io/api:v2.14.3, ticket MEM-2207, sha256 4be1d7c09a55. OOMKilled: exit code 137."
            " Dashboard: https://grafana.example.io/d/abc123/api-memory",
        ),
        required=(
            "You must not restart the production pods.",
            "Ask me before you change any Helm values.",
            "Keep the p99 latency below 250 ms.",
        ),
        rules=(
            (
                "The production pods must not be restarted.",
                ("The production pods may be restarted.", "Restart the production pods."),
            ),
            ("Ask before changing any Helm values.", ("Change any Helm values without asking.",)),
            ("p99 latency stays below [[quantity|250 ms]].", ("p99 latency stays above 250 ms.",)),
        ),
        facts=(
            "[[percentage|73.8 %]] of the heap is held at [[path|cache/lru_store.go]], line [[number|144]].",
            "[[number|2,618,400]] objects, growing by [[quantity|4.5 MB/s]].",
            "Pod [[identifier|api-7d9f8c6b5-x2x4z]] restarts since [[date|2026-01-07]].",
            "The image is [[version|v2.14.3]] (sha256 [[hash|4be1d7c09a55]]), ticket [[identifier|MEM-2207]].",
            "OOM kills end with [[error|exit code 137]]; see [[url|https://grafana.example.io/d/abc123/api-memory]].",
        ),
        units=(("250 ms", "250 s"), ("4.5 MB/s", "4.5 GB/s"), ("73.8 %", "73.8 ms")),
        dates=(
            ("2026-01-07", "2026-01-17"),
            ("2026-01-07", "2026-07-01"),
            ("2026-01-07", "7 February 2026"),
        ),
        inventions=(
            ("number", "There were 51,902 cache misses."),
            ("path", "The eviction loop is in cache/evict_loop.go."),
            ("identifier", "A duplicate of MEM-1988."),
            ("url", "Runbook: https://runbooks.example.io/oom"),
            ("date", "It began on 3 December 2025."),
            ("quote", "The error is `context deadline exceeded`."),
            ("version", "The leak came with v2.13.9."),
        ),
        honest=(
            "Find the API's memory leak. Production pods must not be restarted; any change of Helm values needs the user's word first (ask before); p99 latency has to stay under 250 ms.",
            "73.8% of the heap sits in lru_store.go line 144: 2618400 objects, +4.5MB/s. Do not restart production pods, ask me before changing Helm values, keep p99 latency below 250 milliseconds.",
            "As of January 7, 2026 the pods had restarted; image 2.14.3; MEM-2207. Restarting the production pods is forbidden. Before Helm values are changed, ask me. The p99 latency must be kept below 0.25 s.",
        ),
    ),
    Scenario(
        name="会議",
        sources=(
            "来月の展示会の準備をお願いします。会場費は120万円を超えないでください。契約書には署名しないでください。"
            "参加者名簿は社外に出さないこと。回答は11月20日までにください。",
            "会場候補A: 面積 640㎡、料金 1,085,000円、定員 380名。会場候補B: 料金 1,340,000円、定員 520名。",
            "担当者: 田中、電話 03-5555-0142、メール tanaka@expo.example.jp、予約番号 EXP-66018。",
            "見積書は C:\\Expo\\2026\\quote_v3.xlsx、更新日 2026/10/28、割引率は7.5％。",
        ),
        required=(
            "会場費は120万円を超えないでください。",
            "契約書には署名しないでください。",
            "参加者名簿は社外に出さないこと。",
        ),
        rules=(
            ("会場費は[[money|120万円]]以下。", ("会場費は120万円以上。",)),
            ("契約書に署名しない。", ("契約書に署名する。", "契約書には署名してよい。")),
            (
                "参加者名簿を社外に出さない。",
                ("参加者名簿を社外に出す。", "参加者名簿は社外に出してもよい。"),
            ),
        ),
        facts=(
            "候補Aは[[money|1,085,000円]]、定員[[number|380]]名。",
            "候補Bは[[money|1,340,000円]]、定員[[number|520]]名。",
            "予約番号は[[identifier|EXP-66018]]、連絡先は[[email|tanaka@expo.example.jp]]。",
            "見積書は[[path|C:\\Expo\\2026\\quote_v3.xlsx]]、[[date|2026/10/28]]更新、割引[[percentage|7.5％]]。",
        ),
        units=(("1,085,000円", "1,085,000ウォン"), ("120万円", "120億円"), ("7.5％", "7.5万円")),
        dates=(
            ("2026/10/28", "2026/10/18"),
            ("2026/10/28", "2026/12/08"),
            ("2026/10/28", "2026年10月29日"),
        ),
        inventions=(
            ("money", "備品は96,400円。"),
            ("number", "来場者は2,750名の見込み。"),
            ("identifier", "前回の予約番号はEXP-61207。"),
            ("path", "図面はC:\\Expo\\2026\\floor_b.dwgにある。"),
            ("date", "下見は2026年10月14日。"),
            ("quote", "会場名は「さくらホール」。"),
        ),
        honest=(
            "展示会の準備。会場費は1,200,000円を超えないこと。契約書への署名は禁止。参加者名簿は社外に出さない。回答期限は11月20日。",
            "候補A：1085000円、定員380名。候補B：134万円、520名。参加者名簿は社外に出すの禁止、契約書には署名しない、会場費は120万円以内。",
            "見積書quote_v3.xlsx（2026年10月28日更新、7.5%割引）。予約番号EXP-66018。契約書に署名せず、名簿を社外に出さないこと。会場費は最大120万円。",
        ),
    ),
    Scenario(
        name="billing export",
        sources=(
            "Add a CSV export to the billing page. Use no new dependencies. All amounts stay in whole cents."
            " Limit the diff to 300 lines. Don't rename any column. Release it after 2026-09-14, not earlier.",
            "def export(rows): ...  # app/billing/export_csv.py\nROUNDING = 0.005\nMAX_ROWS = 65536",
            "Invoice F-2026-0871: total €1,249.90, VAT 19%, due 2026-09-30. Customer cust_5Hq2Zk9.",
            "npm ERR! code ERESOLVE\nnode v20.11.1\nGET /api/billing/export 422 (took 3.2 s)",
        ),
        required=(
            "Use no new dependencies.",
            "Limit the diff to 300 lines.",
            "Don't rename any column.",
            "Release it after 2026-09-14, not earlier.",
        ),
        rules=(
            (
                "No new dependencies may be used.",
                ("New dependencies may be used.", "Use new dependencies."),
            ),
            ("The diff is limited to [[number|300]] lines.", ("The diff has at least 300 lines.",)),
            ("No column may be renamed.", ("Any column may be renamed.",)),
            ("Release only after [[date|2026-09-14]].", ("Release before 2026-09-14.",)),
        ),
        facts=(
            "[[path|app/billing/export_csv.py]] rounds at [[number|0.005]] and stops at [[number|65536]] rows.",
            "Invoice [[identifier|F-2026-0871]] is [[money|€1,249.90]] with [[percentage|19%]] VAT.",
            "The customer is [[identifier|cust_5Hq2Zk9]]; payment is due [[date|2026-09-30]].",
            "npm fails with [[error|ERESOLVE]] on node [[version|v20.11.1]]; the request took [[quantity|3.2 s]].",
        ),
        units=(("€1,249.90", "$1,249.90"), ("3.2 s", "3.2 ms"), ("19%", "€19")),
        dates=(
            ("2026-09-30", "2026-09-13"),
            ("2026-09-30", "2027-09-30"),
            ("2026-09-30", "30 August 2026"),
        ),
        inventions=(
            ("number", "The table has 18,233 rows."),
            ("path", "Tests live in app/billing/export_tests.py."),
            ("identifier", "Invoice F-2026-0913 is affected too."),
            ("url", "Spec at https://specs.example.com/csv"),
            ("money", "The refund was €75.20."),
            ("date", "The freeze starts on 2026-10-02."),
            ("error", "It also failed with ECONNRESET."),
        ),
        honest=(
            "CSV export for the billing page: no new dependencies, columns are not renamed, a diff of at most 300 lines, release after September 14, 2026.",
            "export_csv.py caps at 65,536 rows. F-2026-0871 totals 1,249.90 EUR (19 percent VAT), due 30 September 2026. Do not rename columns, do not use new dependencies, limit the diff to 300 lines, and release no earlier than after 14 Sept 2026.",
            "Node 20.11.1, ERESOLVE. The diff must stay within 300 lines; using new dependencies is not allowed; renaming any column is forbidden; it may be released only after 2026-09-14.",
        ),
    ),
    Scenario(
        name="解析",
        sources=(
            "売上データを解析してください。元のファイルは変更しないでください。結果はreports/にだけ保存してください。"
            "外部APIは一日100回以内でお願いします。",
            "sales_2025.csv: 184,236行、欠損 1.7％、合計 3億4,500万円、平均単価 2,860円。",
            "モデル gpt-4o-mini、トークン 92,310、処理時間 48秒、エラー率0.35%。",
            "出力先 reports/q4_summary.xlsx、実行ID run-8f21c、2025年12月26日 09:45 完了。",
        ),
        required=(
            "元のファイルは変更しないでください。",
            "結果はreports/にだけ保存してください。",
            "外部APIは一日100回以内でお願いします。",
        ),
        rules=(
            (
                "元のファイルは変更しない。",
                ("元のファイルを変更する。", "元のファイルは変更してよい。"),
            ),
            ("結果はreports/のみに保存する。", ("結果はreports/以外に保存する。",)),
            ("外部APIは一日[[number|100]]回以内。", ("外部APIは一日100回以上。",)),
        ),
        facts=(
            "[[path|sales_2025.csv]]は[[number|184,236]]行、欠損[[percentage|1.7％]]。",
            "合計は[[money|3億4,500万円]]、平均単価は[[money|2,860円]]。",
            "[[identifier|gpt-4o-mini]]で[[number|92,310]]トークン、[[quantity|48秒]]。",
            "[[path|reports/q4_summary.xlsx]]に出力（実行ID [[identifier|run-8f21c]]、[[date|2025年12月26日]]）。",
        ),
        units=(("2,860円", "2,860ドル"), ("48秒", "48分"), ("3億4,500万円", "3万4,500円")),
        dates=(
            ("2025年12月26日", "2025年12月16日"),
            ("2025年12月26日", "2026年12月26日"),
            ("2025年12月26日", "2025年11月26日"),
        ),
        inventions=(
            ("number", "外れ値は1,093行。"),
            ("money", "最大の取引は780万円。"),
            ("path", "中間結果はreports/tmp_join.parquetにある。"),
            ("identifier", "前回の実行IDはrun-77d0e。"),
            ("date", "次回は2026年1月15日。"),
            ("quantity", "待機は12.5秒。"),
        ),
        honest=(
            "売上データの解析。元のファイルの変更は禁止、保存先はreports/のみ、外部APIの利用は一日100回まで。",
            "184236行のうち欠損は1.7%。合計は345,000,000円、平均2860円。元のファイルは変更せず、結果はreports/だけに保存し、外部APIは1日100回以内。",
            "12月26日に完了、エラー率は0.35％、48秒、92310トークン。外部APIは一日１００回以内。結果の保存先はreports/に限定。元のファイルは変更不可。",
        ),
    ),
)
