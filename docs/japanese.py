"""Japanese for the generated tables of `README.ja.md`; what is missing here fails the tests."""

POLICIES = {
    "auto": "既定。予算に達したときだけ、古いツール結果、次に古いやり取りをまとめて外す。",
    "append": "すべて残す。予算を超えると `BudgetInfeasible`。",
    "truncate": "システムプロンプトと末尾（最後の N メッセージ、ターン、トークン）を残す。",
    "recent-first": "新しいものから順に入れ、最初に入らなかったところで止める。順序は元のまま。",
    "required-first": "必須のものをすべて先に確保し、残りを新しい順に入れる。",
    "prune": "最後の N 組の呼び出しと結果を残し、外した組のうち新しい W 組を一覧にする。",
    "clear-tool-results": "新しいものを除き、ツールの結果を短い文に置き換える。",
    "clear-thinking": "新しいターンを除き、思考を丸ごと外す。",
    "offload": "予算に達したら古いやり取りをブロックとして外し、その ID の索引を残す。",
}

COMMANDS = {
    "inspect": "ウィンドウを何が占めているかを示す。",
    "compact": "予算に収まる小さなセッションを書き出す。",
    "compare": "複数のポリシーを複数の予算で並べて比べる。",
    "recall": "外したものを、元のバイト列のまま取り出す。",
    "pins": "一字一句残すべきものと、その理由を列挙する。",
    "validate": "プロバイダーのメッセージ規則に照らして検査する。",
    "convert": "別の形式で書き出す。",
    "sessions": "この計算機でエージェントが残したセッションを列挙する。",
    "policies": "ポリシーと、そのパラメーターと既定値を列挙する。",
}
