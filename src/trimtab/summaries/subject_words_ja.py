"""Japanese words by what they mean for the subject of a statement."""

from __future__ import annotations

TERMS = """
プロジェクト名=codename; コードネーム=codename; 開発コード名=codename; 呼称=codename
案件名=codename
プロジェクト=project; 案件=project; 予算=budget; 経費=budget; 費用=budget; 支出=budget
コスト=budget
出費=budget; 出張=travel; 旅費=travel budget; 旅行=travel; 遠征=travel; 会議=meeting
打ち合わせ=meeting; 打合せ=meeting; ミーティング=meeting; 会合=meeting; 学会=conference
広告=advertising
販促=marketing; マーケティング=marketing; 締め切り=deadline; 締切り=deadline; 締切=deadline
〆切=deadline; 期限=deadline; 期日=deadline; 納期=delivery deadline; 納品日=delivery deadline
納品=delivery; 公開日=launch date; 公開=launch; 発売日=sale date; 発売=sale; リリース日=release date
リリース=release; 出荷=release; ローンチ=launch; 開始日=start date; 終了日=end date; 日程=date
日時=date
開始時刻=start time; 終了時刻=end time; 開始=start; 終了=end; 出発日=departure date; 出発=departure
到着日=arrival date; 到着=arrival; 帰着日=return date; 帰着=return; 往路=outbound; 復路=return
凍結期間=freeze; 凍結=freeze; フリーズ=freeze; 資料=docs; 文書=docs; ドキュメント=docs; 手引き=docs
マニュアル=docs; 説明書=docs; 当番=oncall; オンコール=oncall; 待機=oncall; 呼び出し=oncall
サポート担当=supportduty; 問い合わせ担当=supportduty; 一次対応=supportduty; 主担当=main owner
副担当=secondary owner; 担当者=owner; 担当=owner; 責任者=owner; 承認者=approve; 承認=approve
決裁者=approve; 決裁=approve; 査読者=review; レビュー担当=review; レビュアー=review; レビュー=review
査読=review; 設計=design; 作業ブランチ=branch; ブランチ=branch; コミットメッセージ=commit-message
コミット=commit; ベース=base; ポート番号=port; ポート=port; リージョン=region; 地域=region
データベース=database; 本番環境=production; 本番=production; 検証環境=staging; 検証=staging
ステージング=staging; 開発環境=development; テスト環境=test-environment; 単体テスト=unit test
結合テスト=integration test; ユニットテスト=unit test; 統合テスト=integration test; テスト=test
暗証番号=code; 暗証コード=code; パスコード=code; アクセスコード=access code; 認証コード=access code
コード例=code example; サンプルコード=code example; 合言葉=code; パスワード=password; 鍵=key
トークン=token; 金庫=vault; 時刻=clock; タイムゾーン=timezone; 時間帯=timezone
日時表示=timezone; タイムスタンプ=timestamp; 単位=unit; 回答=answer; 返答=answer; 返信=answer
返事=answer; 応答=answer; 答え=answer; 口調=tone; 文体=style; 語調=tone; 出力先=output
保存先=output
出力=output; 保存=output; 許容誤差=tolerance; 公差=tolerance; 丸め=round; 小数点以下=decimal
通貨=currency; 上限=maximum; 下限=minimum; 最大=maximum; 最小=minimum; 最低=minimum; 限度=maximum
以内=maximum; 以下=maximum; 未満=maximum; まで=maximum; 以上=minimum; 超=maximum
タイムアウト=timeout
リトライ=retry; 再試行=retry; 有効期限=ttl; 保持期間=ttl; キャッシュ=cache; 閾値=threshold
しきい値=threshold; 顧客=client; 取引先=client; お客様=client; 得意先=client; 宛先=recipient
配送先=delivery
届け先=delivery; 送付先=delivery; 送り先=delivery; 配送=delivery; 発送=delivery; 請求先=billing
請求書=invoice
請求=billing; 連絡先=contact; 住所=address; メールアドレス=email; メール=email; 電話番号=phone
環境=environment
進捗=progress; 状況=status; 状態=status; 次のステップ=nextstep; 次の手順=nextstep; 次の作業=nextstep
次の一手=nextstep; 次の工程=nextstep; 次は=nextstep; インデント=indent; 字下げ=indent
ログレベル=log level
ログ=log; 行数=line; 行の長さ=line length; 文字数=character; 人数=people; 参加者=participant
大人=adult; 子供=child; 子ども=child; 並び順=sort; 並べ替え=sort; ソート順=sort; 並べ=sort
支払い方法=pay; 支払い=pay; 支払=pay; 決済=pay; チェックイン=checkin; チェックアウト=checkout
ホテル=hotel; 航空券=flight; 飛行機=flight; 便=flight; ノートパソコン=laptop; 報告書=report
レポート=report
報告=report; 週報=weekly report; 月報=monthly report; 今週=thisweek; 来週=nextweek; 先週=lastweek
来月=nextmonth; 先月=lastmonth; 割引率=discount; 割引=discount; 金利=interest; 利率=interest
モデル=model
バッチサイズ=batch size; サーバー=server; サーバ=server; エンドポイント=endpoint
ファイル名=filename
ファイル=file; フォルダ=folder; ディレクトリ=folder; コメント=comment; 金額=amount-money; 価格=price
値段=price; 部屋=room; 座席=seat; 席=seat; 名前=name; リポジトリ=repo; デプロイ先=deploy
デプロイ=deploy
配備=deploy; 監視=monitoring; 管理画面=admin; 社内=internal; 社外=external; 会議室=meeting room
読み取り=read; 書き込み=write; 接続=connect; アップロード=upload; ダウンロード=download
主系=primary
副系=backup; 予備=backup; バックアップ=backup; 既定=default; デフォルト=default; 初稿=first draft
最終稿=final draft; 毎週=every-week; 毎月=every-month; 毎日=every-day; 要約=summary
件名=subject-line
禁止=ban; 値上げ=-; 値下げ=-; 引き継=owner; 引継=owner; 受け持=owner; あたり=each-one
当たり=each-one; につき=each-one; 改定=-; 改訂=-; 誤り=-; 受取=pickup
受け取り=pickup; 文字コード=encoding; 私たち=-; 変更=-; 訂正=-; 修正=-; 更新=-; 設定=-; 使用=-
利用=-; 表示=-; 実行=-; 今後=-; 以後=-; 以降=-; 指定=-
必要=-; 予定=-; 希望=-; お願い=-; 対応=-; 切り替え=-; 切替=-; 移行し=-; 移行す=-; 移行=migration
言語=language; 増額=-; 減額=-; 移動=-; 延期=-; 延長=-; 短縮=-
前倒し=-; 引き上げ=-; 引き下げ=-; 回数=-; 番号=-; 合計=-; 総額=-; 全体=-; 全部=-; 現在=-; 今回=-
決定=-; 確定=-; 予約=reserve; 注文=order; 作業=-; 場合=~if; 限り=~if; 作成=-; 記載=-; 記述=-
統一=-; 厳守=-
指示=-; 名称=name; 全て=-; 制限=maximum; 制約=-; 方針=-; 条件=-; 規則=-; ルール=-; 要件=-; 依頼=-
先ほど=-; 先程=-; さっき=-; 本日=-; 当初=-; 最新=-; 新規=-; 新しい=-; 正しく=-; 探し=-; 送付=send
送っ=send
送る=send; 探す=-; 出し=-; 設定ファイル=config file; サービス名=service-name; 数量=quantity
手数料=fee; 送料=shipping fee; 料金=fee
交代=-; の件=-; 日本=japan; 型=type; 形式=-; 方式=-; 呼ぶ=-; 呼び=-; 手配=-
絶対=-; 厳禁=-; 共有=-; 開示=-; 教え=-; 漏らさ=-; 秘密=-; 変え=-; 変わり=-; 行う=-; 行い=-; 開催=-
実施=-; 待ち受け=-; 待ち=-; について=-; に関して=-; に関する=-; 大丈夫=-; 認め=-; 可能=-
番ポート=port; ホスト名=host; ホスト=host; 移転=-; 現在の=-; 今=-; 方=-; 件=-
"""
"""Term -> canonical words of `subject_words_en`; `-` says nothing about a subject."""

CHANGE = (
    r"変更|変わ|変え|訂正|修正|今後|以後|これから|今日から|明日から|来週から|本日から|やはり"
    r"|やっぱり|改め|更新"
    r"|切り替え|切替|移行(?:し|す|済|予定)|移転|増額|減額|増員|値上|値下|引き継|延期|延び|延長|前倒し"
    r"|早ま|引き上げ|引き下げ|上が|下が|上げ|下げ|代わり|替え|交代|新しい"
    r"|移動|移り|移っ|移した|替わ|認められ|許可され|改定|改訂|代わ|誤り|正しくは|になりました|になります|になった|ではなく|じゃなく"
    r"|でなく|し直し|差し替え|増や|減ら|撤回|最新|広げ|緩め"
    r"|厳しく|直し"
)
"""A statement with one of these says that something is otherwise than before."""

PROHIBITION = (
    r"ないで(?:ください|下さい|ほしい|欲しい|くれ|$|。)|ないこと|禁止|厳禁|てはいけ|てはなら"
    r"|ではいけ|てはダメ"
    r"|てはだめ|てはいかん|ては駄目|許可なく|触らない|不可$|不可。|ません$"
)

RETRACTION = (
    r"忘れて|取り消|取消|撤回|撤廃|なかったこと|無かったこと|無効と|廃止|もう(?:不要|適用"
    r"|必要)|適用(?:され|し)な"
    r"|解除|無視して(?:ください|よい|いい|構)|気にしなくて|守らなくて"
)

QUESTION = (
    r"(?:か|かな|かしら|でしょう|っけ|の)[?？]|[?？]\s*$|(?:です|ます|でしょう|ません)か[。.]?\s*$"
)

TENTATIVE = (
    r"かもしれ|検討|もし|仮に|たとえば|例えば|かどうか|と思う|予想|見込み"
    r"|引き?継(?:ぎません|がな|いでい)|担当し(?:ません|ない)|待ち受けて(?:い)?(?:ない|ません)"
)

NARROW = r"ただし|但し|に限り|の場合|だけは|のみは|以外|例外|を除|時だけ|ときだけ|際は|もし"

ALSO = (
    r"[一-龥ァ-ヴーa-z]も(?:[一-龥]|使|お願い|追加)|でも(?:待ち受|動|受け付|公開)|も追加|加えて|併せて|あわせて|さらに"
    r"|それとは別に|他に"
)

PAST = r"(?:し|い|っ|き|り|ち|げ|え|れ|め|け)(?:まし)?た(?:。|$)"

HEADINGS = (
    r"制約|絶対条件|条件|前提|前提条件|事実|目標|目的|方針|好み|要望|希望|注意|注意事項|メモ"
    r"|備考|重要|決定|決定事項|要件"
    r"|ルール|規則|状況|現状|進捗|連絡|お知らせ|補足|安全規則|安全ルール|必須|必須条件|更新"
    r"|変更|訂正|修正|追記"
)
"""Words before a colon that are a heading, not content."""


def terms() -> dict[str, str]:
    """Term -> the canonical words that stand for it (empty: none)."""
    table = {}
    for entry in TERMS.replace("\n", ";").split(";"):
        term, found, canonical = entry.strip().partition("=")
        if found:
            table[term] = "" if canonical == "-" else canonical
    return table
