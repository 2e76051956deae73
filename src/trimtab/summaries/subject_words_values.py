"""Values that are words: time zones, languages, tools, styles, states, by kind."""

from __future__ import annotations

CHOICES = {
    "tz": """utc gmt jst cet cest pst pdt est edt cst mst bst ist pacific-time eastern-time
        central-time mountain-time pacific japan-time tokyo-time london-time local-time
        eastern-standard-time pacific-standard-time central-european-time 日本時間 協定世界時
        米国時間 太平洋時間 現地時間 世界標準時 日本標準時""",
    "units": """metric imperial si inches inch centimetres centimeters cm millimetres millimeters
        feet yards celsius fahrenheit kilometres kilometers miles kilograms pounds-weight litres
        gallons メートル法 ヤード・ポンド法 ヤードポンド法 摂氏 華氏 センチ インチ""",
    "currency": """us-dollars dollars usd euros eur euro yen jpy pounds-sterling gbp swiss-francs
        francs chf won krw yuan cny rupees 円建て ドル建て 円 ドル ユーロ建て 円表示 ドル表示
        ユーロ表示 日本円
        米ドル ユーロ""",
    "natlang": """british-english american-english us-english uk-english
        simplified-chinese traditional-chinese brazilian-portuguese english japanese french german
        spanish italian portuguese chinese korean dutch
        swedish polish russian turkish arabic hindi 英語 日本語 フランス語 ドイツ語 スペイン語
        中国語
        韓国語 イタリア語 ポルトガル語""",
    "proglang": """Python Rust TypeScript JavaScript Java Kotlin Ruby Scala Elixir Haskell Perl
        PHP Julia Lua Zig OCaml Clojure Golang C++ C# Bash fish zsh PowerShell""",
    "style": """=tone formal casual friendly playful warm light polite professional neutral chatty
        serious humorous conversational upbeat cheerful enthusiastic 敬語 丁寧語 丁寧 くだけた
        カジュアル
        親しみやすい フレンドリー 堅い 砕けた タメ口 です・ます調 ですます調 である調
        =length short brief concise long detailed verbose lengthy thorough succinct compact
        簡潔 短く 詳しく 詳細 手短 長め 短め
        =both terse curt blunt dry plain simple-style expansive 端的""",
    "status": """in-progress completed complete done blocked pending cancelled canceled paused
        on-hold rejected finished resolved failing passing approved-state delayed-state 完了 進行中
        未着手 保留 保留中 中止 作業中 完了済み 対応中 停止中""",
    "db": """postgres postgresql mysql mariadb sqlite oracle mongodb dynamodb cassandra clickhouse
        duckdb bigquery snowflake cockroachdb sql-server redshift""",
    "cache": "redis memcached valkey dragonfly varnish",
    "queue": "rabbitmq kafka sqs nats pulsar celery sidekiq zeromq",
    "packages": "npm yarn pnpm bun pip poetry uv conda pipenv cargo maven gradle bundler",
    "testing": """pytest unittest jest vitest mocha jasmine nose rspec junit playwright cypress
        selenium testng""",
    "cloud": "aws gcp azure heroku fly.io vercel netlify digitalocean cloudflare",
    "browser": "chrome firefox safari edge chromium opera brave",
    "webframework": """django flask fastapi rails express nestjs spring react vue svelte angular
        next.js nuxt laravel""",
    "runtime": "node node.js deno jvm jdk .net python3",
    "style-tool": "ruff black flake8 pylint eslint prettier biome isort rubocop clang-format",
    "css": "tailwind bootstrap sass bulma",
    "os": "ubuntu debian windows macos linux fedora alpine centos android ios",
    "ci": "jenkins github-actions gitlab-ci circleci travis buildkite",
    "vcs": "git mercurial subversion",
    "chat": "slack teams discord zoom google-meet webex skype",
    "format": """csv json yaml toml xml pdf html markdown docx xlsx parquet png jpeg jpg svg
        plain-text tsv""",
    "loglevel": "DEBUG INFO WARNING WARN ERROR CRITICAL TRACE",
    "indent": "tabs spaces tab space タブ スペース 空白",
    "seat": """aisle-seat window-seat middle-seat aisle window-side 窓側 通路側""",
    "smoking": "non-smoking smoking 禁煙 喫煙可 喫煙",
    "tax": "tax-inclusive tax-exclusive 税込み 税抜き 税込 税抜 税別",
    "payment": """credit-card debit-card bank-transfer paypal cash invoice-payment apple-pay
        クレジットカード 銀行振込 代引き 現金 コンビニ払い 請求書払い 後払い""",
    "class": "economy-class business-class first-class premium-economy エコノミー ビジネスクラス",
    "room": "single-room double-room twin-room suite シングル ダブル ツイン",
    "courier": "express-shipping standard-shipping express-delivery standard-delivery 通常便 速達",
    "order": """ascending descending newest-first oldest-first alphabetical 昇順 降順 新しい順
    古い順
        安い順 高い順""",
    "theme": "dark-mode light-mode dark-theme light-theme ダークモード ライトモード",
    "color": "red blue green yellow white orange purple grey gray pink navy silver beige",
    "sizes": "small medium large x-large extra-large",
    "rank": "cheapest fastest shortest nearest newest latest earliest best-rated closest quickest",
    "switch": "enabled disabled 有効 無効",
    "meal": "vegetarian vegan halal kosher ベジタリアン ヴィーガン",
}
"""Kind of choice -> the words between which one chooses; a hyphen is also a space.

`=name` begins a facet: of two styles, a tone does not replace a length."""

ALIASES = {
    "postgres": "postgresql",
    "node.js": "node",
    "pacific": "pacific time",
    "yen": "jpy",
    "usd": "us dollars",
    "dollars": "us dollars",
    "eur": "euros",
    "warn": "warning",
    "tab": "tabs",
    "space": "spaces",
    "jpg": "jpeg",
    "complete": "completed",
    "done": "completed",
    "完了済み": "完了",
    "日本円": "円表示",
    "円": "円表示",
    "ドル": "ドル表示",
    "円建て": "円表示",
    "ドル建て": "ドル表示",
    "米ドル": "ドル表示",
    "税込": "税込み",
    "税抜": "税抜き",
    "税別": "税抜き",
}
"""Two names of one value."""

ONLY_WITH = {
    "small": r"\bsize\b",
    "medium": r"\bsize\b",
    "large": r"\bsize\b",
    "orange": r"\bin orange|colou?r",
    "navy": r"\bin navy|colou?r",
    "silver": r"\bin silver|colou?r",
    "latest": r"\boption|\bflight|\btrain|\bone\b",
    "newest": r"\boption|\bone\b",
    "nearest": r"nearest (?!cent|dollar|euro|integer|whole|ten|hundred|thousand|minute|hour"
    r"|yen|\d)",
    "light": r"respons|answer|repl|tone|style|voice|playful|messag",
    "plain": r"respons|answer|repl|tone|style|voice|messag",
    "dry": r"respons|answer|repl|tone|style|voice|messag",
    "warm": r"respons|answer|repl|tone|style|voice|messag",
    "serious": r"respons|answer|repl|tone|style|voice|messag",
    "neutral": r"respons|answer|repl|tone|style|voice|messag",
    "short": r"respons|answer|repl|tone|style|summar|messag|explan|description|comment",
    "long": r"respons|answer|repl|tone|style|summar|messag|explan|description|comment",
    "complete": r"status|state|is complete",
    "express": r"\buse\b|framework|backend|app",
    "spring": r"\buse\b|framework|backend|app",
    "rails": r"\buse\b|framework|backend|app",
    "oracle": r"database|\bdb\b|\buse\b",
    "edge": r"browser|\buse\b",
    "opera": r"browser|\buse\b",
    "brave": r"browser|\buse\b",
    "black": r"formatter|\buse\b|lint",
    "teams": r"\bon teams\b|\bvia teams\b|use teams",
    "aisle": r"seat",
    "window": r"seat",
    "tab": r"indent",
    "space": r"indent",
    "tabs": r"indent|\bnot spaces|\buse tabs",
    "spaces": r"indent|\bnot tabs|\buse spaces",
    "スペース": r"インデント|字下げ",
    "空白": r"インデント|字下げ",
    "タブ": r"インデント|字下げ",
    "cash": r"\bpay",
    "suite": r"\broom|\bbook",
    "smoking": r"\broom|\bseat|\btable",
    "詳細": r"回答|返答|説明|返事",
    "丁寧": r"回答|返答|説明|返事|口調|文体",
    "詳しく": r"回答|返答|説明|返事",
    "compact": r"respons|answer|repl|summar",
    "polite": r"respons|answer|repl|tone|style|messag|customer",
    "simple-style": r"a^",
    "suite-room": r"a^",
    "cargo": r"\buse\b|\brun\b",
    "uv": r"\buse\b|\brun\b|install|switch",
    "git": r"\buse git\b",
    "linux": r"\buse\b|\btarget|\brun",
    "done": r"status",
    "euro": r"price|quote|currenc|amount|in euro|bill|invoice|charge|pay",
    "euros": r"price|quote|currenc|amount|in euros|bill|invoice|charge|pay",
    "dollars": r"price|quote|currenc|amount|in (?:us )?dollars",
    "yen": r"price|quote|currenc|amount|in yen",
    "francs": r"price|quote|currenc|amount|in (?:swiss )?francs",
    "miles": r"distance|unit|in miles",
    "feet": r"length|height|unit|in feet",
    "won": r"\bin won\b",
    "有効": r"有効(?!期限|期間|桁)",
    "無効": r"無効に|無効で",
    "円": r"(?<![\d万千百十億])円(?:で|に|表記)",
    "ドル": r"(?<![\d万千百十億])ドル(?:で|に|表記)",
    "ユーロ": r"表示|通貨|建て",
}
"""A word that has other senses counts only beside these."""
