"""Sources and summaries that were written before the last tuning, and never tuned on."""

from __future__ import annotations

from bench.guarding_marks import Scenario

SCENARIOS = (
    Scenario(
        name="rate limiter",
        sources=(
            "Write a rate limiter for the gateway. It has to allow at least 120 requests per minute per"
            " key. Never log the API keys. Keep your hands off infra/terraform/. You need my sign-off"
            " before any deploy.",
            "gateway/limiter.go:57: undefined: bucketSize\nBenchmarkAllow-8   9,482,113   126.4 ns/op   0 B/op",
            "The incident of 2026-04-18 (INC-7731) lasted 47 minutes; 12.6 % of the calls got HTTP 429 and"
            " Redis 7.2.4 used 1.8 GB. Postmortem: https://wiki.example.net/inc/7731",
            "git show d41f08e7c\nAuthor: Lena\nDate: 2026-04-19\nfixes burst_window_30 in gateway/config/limits.yaml",
        ),
        required=(
            "It has to allow at least 120 requests per minute per key.",
            "Never log the API keys.",
            "Keep your hands off infra/terraform/.",
            "You need my sign-off before any deploy.",
        ),
        rules=(
            (
                "At least [[number|120]] requests per minute and key have to be allowed.",
                ("At most 120 requests per minute and key are allowed.",),
            ),
            ("API keys must never be logged.", ("Log the API keys.", "API keys may be logged.")),
            ("Hands off infra/terraform/.", ("Edit infra/terraform/.",)),
            ("Any deploy needs the user's sign-off first.", ("Deploy without sign-off.",)),
        ),
        facts=(
            "[[path|gateway/limiter.go]] fails at line [[number|57]]: [[quote|`undefined: bucketSize`]].",
            "The benchmark ran [[number|9,482,113]] times at [[quantity|126.4 ns]].",
            "[[identifier|INC-7731]] of [[date|2026-04-18]] lasted [[quantity|47 minutes]]; [[percentage|12.6 %]] of calls got [[error|HTTP 429]].",
            "Redis [[version|7.2.4]] used [[quantity|1.8 GB]].",
            "Commit [[hash|d41f08e7c]] fixed [[identifier|burst_window_30]] in [[path|gateway/config/limits.yaml]].",
        ),
        units=(("47 minutes", "47 seconds"), ("1.8 GB", "1.8 MB"), ("126.4 ns", "126.4 ms")),
        dates=(
            ("2026-04-18", "2026-04-28"),
            ("2026-04-18", "April 17, 2026"),
            ("2026-04-18", "2025-04-18"),
        ),
        inventions=(
            ("number", "The suite has 6,318 cases."),
            ("path", "The mock is in gateway/mock_clock.go."),
            ("identifier", "It resembles INC-7502."),
            ("url", "Alert: https://pager.example.net/a/99120"),
            ("date", "A retry is planned for 2026-05-02."),
            ("quote", 'Lena wrote "ship it on Monday".'),
            ("hash", "The bug came with 0b55aa913."),
            ("quantity", "Failover took 8.75 seconds."),
        ),
        honest=(
            "Rate limiter for the gateway: no fewer than 120 requests a minute per key; API keys are never to be logged; hands off infra/terraform; a deploy needs sign-off before it happens.",
            "INC-7731 (18 April 2026) took 47 min, 12.6% of calls were answered 429. Don't log API keys, don't touch infra/terraform/ (keep hands off), ask for my sign-off before you deploy, and allow at least 120 requests per minute per key.",
            "Redis 7.2 held 1.8GB. Logging API keys is forbidden. infra/terraform stays untouched, hands off. Deploy only after my sign-off. 120 requests per minute per key or more must be allowed.",
        ),
    ),
    Scenario(
        name="旅行",
        sources=(
            "福岡出張を手配してください。宿泊費は一泊15,000円以下でお願いします。喫煙室は選ばないでください。"
            "予約を確定する前に必ず私に確認してください。",
            "候補: ホテル博多 13,400円（税込）、徒歩6分、評価4.2（口コミ2,915件）。ホテル天神 17,800円、徒歩3分。",
            "便 JL315、2026年9月8日 07:25発、運賃 41,630円、予約コード QX7T2M。変更期限は9月5日。",
            "添付: ~/trips/fukuoka/itinerary_v2.pdf（880KB）。問い合わせ https://air.example.co.jp/b/QX7T2M、手数料 3.5%。",
        ),
        required=(
            "宿泊費は一泊15,000円以下でお願いします。",
            "喫煙室は選ばないでください。",
            "予約を確定する前に必ず私に確認してください。",
        ),
        rules=(
            ("宿泊費は一泊[[money|15,000円]]まで。", ("宿泊費は一泊15,000円以上。",)),
            ("喫煙室は選ばない。", ("喫煙室を選ぶ。", "喫煙室を選んでもよい。")),
            ("予約を確定する前に確認する。", ("確認なしに予約を確定する。",)),
        ),
        facts=(
            "ホテル博多は[[money|13,400円]]、口コミ[[number|2,915]]件。",
            "ホテル天神は[[money|17,800円]]。",
            "便は[[identifier|JL315]]、[[date|2026年9月8日]][[time|07:25]]発、[[money|41,630円]]。",
            "予約コードは[[identifier|QX7T2M]]、手数料は[[percentage|3.5%]]。",
            "旅程は[[path|~/trips/fukuoka/itinerary_v2.pdf]]（[[quantity|880KB]]）。",
        ),
        units=(("13,400円", "13,400ドル"), ("880KB", "880MB"), ("3.5%", "3.5円")),
        dates=(
            ("2026年9月8日", "2026年9月18日"),
            ("2026年9月8日", "2026年8月9日"),
            ("07:25", "17:25"),
        ),
        inventions=(
            ("money", "タクシー代は2,780円。"),
            ("identifier", "復路はJL328。"),
            ("path", "領収書は~/trips/fukuoka/receipt_01.pdfにある。"),
            ("date", "復路は2026年9月11日。"),
            ("number", "会員番号は50318842。"),
            ("quote", "備考に「角部屋希望」とある。"),
        ),
        honest=(
            "福岡出張の手配。一泊の宿泊費は15000円以内、喫煙室は不可（選ばない）、予約確定の前に確認が必要。",
            "博多は13400円で口コミ2915件。JL315は9月8日7:25発。宿泊費の上限は一泊1.5万円。喫煙室は選ばず、確定前に私に確認すること。",
            "令和8年9月8日発、予約コードQX7T2M、手数料3.5％。喫煙室を選ぶのは禁止。予約の確定は確認後に行う。宿泊費は一泊15,000円を超えない。",
        ),
    ),
    Scenario(
        name="refund desk",
        sources=(
            "You handle refund mails. Refunds above $75 need a human. Do not reveal internal notes. Reply"
            " within 24 hours. Answer in French only.",
            "Order 100-4471-88: two lamps, $129.98, delivered 2026-08-02, damaged. Customer marie.l@mail.example.",
            "Policy v3.2: restocking fee 12.5%, claims up to 30 days. Case RF-90215, tracking 1Z999AA10123456784.",
            "POST /refunds -> 409 Conflict in 640 ms; stored at s3://refunds-eu/2026/08/RF-90215.json",
        ),
        required=(
            "Refunds above $75 need a human.",
            "Do not reveal internal notes.",
            "Reply within 24 hours.",
        ),
        rules=(
            (
                "Refunds of more than [[money|$75]] need a human.",
                ("Refunds below $75 need a human.",),
            ),
            (
                "Internal notes must not be revealed.",
                ("Internal notes may be revealed.", "Reveal internal notes."),
            ),
            ("Reply within [[quantity|24 hours]].", ("Reply after at least 24 hours.",)),
        ),
        facts=(
            "Order [[identifier|100-4471-88]] over [[money|$129.98]] arrived damaged on [[date|2026-08-02]].",
            "The restocking fee is [[percentage|12.5%]] by policy [[version|v3.2]]; claims run [[quantity|30 days]].",
            "Case [[identifier|RF-90215]] is at [[url|s3://refunds-eu/2026/08/RF-90215.json]].",
            "The request got [[error|409 Conflict]] after [[quantity|640 ms]].",
            "The customer is [[email|marie.l@mail.example]].",
        ),
        units=(
            ("$129.98", "£129.98"),
            ("640 ms", "640 s"),
            ("24 hours", "24 days"),
            ("30 days", "30 weeks"),
        ),
        dates=(("2026-08-02", "2026-08-12"), ("2026-08-02", "2 September 2026")),
        inventions=(
            ("money", "Shipping was $14.20."),
            ("identifier", "A second case is RF-90388."),
            ("url", "Label: https://ship.example/label/5519"),
            ("date", "The customer wrote on 2026-08-07."),
            ("number", "The queue holds 1,466 mails."),
            ("email", "Copied to anne@desk.example."),
            ("quote", 'She asked for "store credit".'),
        ),
        honest=(
            "Refund mails: a human is needed for refunds above 75 dollars, internal notes are not to be revealed, reply within 24 h.",
            "Case RF-90215: 129.98 USD, delivered August 2, 2026. Refunds over $75 need a human, don't reveal internal notes, and reply in no more than 24 hours. 409 Conflict after 0.64 s.",
            "A 12.5 percent fee applies. Never reveal internal notes. Replies go out within 24 hours. Refunds above USD 75 need a human.",
        ),
    ),
    Scenario(
        name="工場",
        sources=(
            "設備の点検記録を整理してください。温度は85℃を超えてはいけません。停止ボタンは押さないでください。"
            "部品の発注は10万円までとし、必ず課長の承認を得てください。",
            "ライン3: 回転数 1,450rpm、温度 78.6℃、振動 2.35mm、稼働 6,204時間。",
            "部品 BRG-6205ZZ、単価 3,280円、在庫 14個、納期 2026年7月17日。仕入先コード S-40771。",
            "警報 ALM-0931 が 2026-06-29 03:42 に発生、記録は \\\\fs01\\maint\\line3\\log_0629.csv、不良率 0.84%。",
        ),
        required=(
            "温度は85℃を超えてはいけません。",
            "停止ボタンは押さないでください。",
            "部品の発注は10万円までとし、必ず課長の承認を得てください。",
        ),
        rules=(
            ("温度は[[quantity|85℃]]以下。", ("温度は85℃以上。",)),
            ("停止ボタンは押さない。", ("停止ボタンを押す。", "停止ボタンは押してもよい。")),
            (
                "部品の発注は[[money|10万円]]以内で、課長の承認が必要。",
                ("部品の発注は10万円以上。",),
            ),
        ),
        facts=(
            "ライン3は[[quantity|1,450rpm]]、[[quantity|78.6℃]]、振動[[quantity|2.35mm]]、稼働[[quantity|6,204時間]]。",
            "部品[[identifier|BRG-6205ZZ]]は[[money|3,280円]]、納期[[date|2026年7月17日]]。",
            "[[identifier|ALM-0931]]は[[date|2026-06-29]]に発生、不良率[[percentage|0.84%]]。",
            "仕入先は[[identifier|S-40771]]。",
        ),
        units=(
            ("78.6℃", "78.6%"),
            ("3,280円", "3,280元"),
            ("6,204時間", "6,204日"),
            ("10万円", "10億円"),
        ),
        dates=(
            ("2026年7月17日", "2026年7月27日"),
            ("2026-06-29", "2026-06-19"),
            ("2026年7月17日", "令和7年7月17日"),
        ),
        inventions=(
            ("quantity", "騒音のため9.6時間停止した。"),
            ("identifier", "代替品はBRG-6306ZZ。"),
            ("money", "修理費は64,900円。"),
            ("date", "前回の点検は2026年3月22日。"),
            ("number", "累計の不良は1,128個。"),
            ("path", "写真はD:\\maint\\photo_17.jpgにある。"),
        ),
        honest=(
            "点検記録の整理。温度は85℃以下、停止ボタンを押すことは禁止、部品の発注は100,000円まで（課長の承認を必ず得る）。",
            "ライン3は1450rpmで78.6℃。ALM-0931は6月29日3:42。停止ボタンは押さず、温度は85℃を超えないこと。部品の発注は課長の承認を得て10万円以内。",
            "BRG-6205ZZは3280円で、7月17日納期。不良率0.84％。温度の上限は85℃。停止ボタンには触れず押さない。部品の発注は最大10万円、承認は課長から必ず得る。",
        ),
    ),
)
