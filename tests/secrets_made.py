"""Keys, tokens and passwords for the tests, put together as they run.

None is written down in a file: a file with whole ones would be redacted or refused by whoever
scans it, and a test on what is redacted already shows nothing.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping
from itertools import cycle

LETTERS = string.ascii_letters
DIGITS = string.digits
WORD = LETTERS + DIGITS
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase


class Maker:
    """Makes secrets, other ones for each seed."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(f"secrets {seed}")

    def of(self, alphabet: str, length: int) -> str:
        """Characters by chance; a digit and both cases are among them where there is room."""
        made = [self._random.choice(alphabet) for _ in range(length)]
        for n, some in enumerate((DIGITS, string.ascii_lowercase, UPPER)):
            fit = [c for c in some if c in alphabet]
            if fit and length > 6:
                made[2 * n] = self._random.choice(fit)
        return "".join(made)

    def pem(self, kind: str = "RSA ", *, lines: int = 8, end: str = "\n") -> str:
        """A private key that is none, in PEM."""
        dashes = "-" * 5
        body = [self.of(WORD + "+/", 64) for _ in range(lines)] + [self.of(WORD, 30) + "=="]
        edge = f"{kind}PRIVATE" + " KEY"
        return end.join([f"{dashes}BEGIN {edge}{dashes}", *body, f"{dashes}END {edge}{dashes}"])


def joined(*parts: str) -> str:
    """The parts as one; in the source they stand apart."""
    return "".join(parts)


TOKENS: Mapping[str, tuple[Callable[[Maker], str], ...]] = {
    "aws-access-key": (
        lambda m: joined("AK", "IA", m.of(UPPER + "234567", 16)),
        lambda m: joined("AS", "IA", m.of(UPPER + "234567", 16)),
    ),
    "aws-bedrock-key": (lambda m: joined("AB", "SK", m.of(WORD + "+/", 128), "="),),
    "google-key": (
        lambda m: joined("AI", "za", m.of(WORD + "-_", 34), "x"),
        lambda m: joined("GOC", "SPX-", m.of(WORD, 28)),
        lambda m: joined("ya", "29.", m.of(WORD + "-_", 120)),
    ),
    "azure-key": (lambda m: joined("Account", "Key=", m.of(WORD + "+/", 86), "=="),),
    "digitalocean-token": (lambda m: joined("dop", "_v1_", m.of(HEX, 64)),),
    "databricks-token": (lambda m: joined("da", "pi", m.of(HEX, 32)),),
    "fly-token": (lambda m: joined("fo", "1_", m.of(WORD, 43)),),
    "heroku-token": (lambda m: joined("HR", "KU-", m.of(WORD, 60)),),
    "anthropic-key": (
        lambda m: joined("sk-", "ant-", "api03-", m.of(WORD + "-_", 93), "AA"),
        lambda m: joined("sk-", "ant-", "oat01-", m.of(WORD + "-_", 93), "AA"),
        lambda m: joined("sk-", "ant-", "admin01-", m.of(WORD + "-_", 93), "AA"),
    ),
    "openrouter-key": (lambda m: joined("sk-", "or-v1-", m.of(HEX, 64)),),
    "openai-key": (
        lambda m: joined("sk-", "proj-", m.of(WORD + "-_", 74), "T3Blbk", "FJ", m.of(WORD, 74)),
        lambda m: joined("sk-", "svcacct-", m.of(WORD, 74), "T3Blbk", "FJ", m.of(WORD, 74)),
        lambda m: joined("sk-", m.of(WORD, 20), "T3Blbk", "FJ", m.of(WORD, 20)),
    ),
    "huggingface-token": (lambda m: joined("h", "f_", m.of(WORD, 34)),),
    "api-key": (
        lambda m: joined("sk", "-", m.of(HEX, 32)),
        lambda m: joined("gs", "k_", m.of(WORD, 52)),
        lambda m: joined("xa", "i-", m.of(WORD, 80)),
        lambda m: joined("pp", "lx-", m.of(WORD, 48)),
        lambda m: joined("r", "8_", m.of(WORD, 37)),
        lambda m: joined("lsv2", "_pt_", m.of(HEX, 32), "_", m.of(HEX, 10)),
        lambda m: joined("sntryu", "_", m.of(HEX, 64)),
        lambda m: joined("gl", "sa_", m.of(WORD, 32), "_", m.of(HEX, 8)),
        lambda m: joined("lin", "_api_", m.of(WORD, 40)),
        lambda m: joined("nt", "n_", m.of(DIGITS, 11), m.of(WORD, 35)),
        lambda m: joined("PM", "AK-", m.of(HEX, 24), "-", m.of(HEX, 34)),
        lambda m: joined("tsk", "ey-auth-", m.of(WORD, 30)),
        lambda m: joined("xkey", "sib-", m.of(HEX, 64), "-", m.of(WORD, 16)),
        lambda m: joined("psc", "ale_tkn_", m.of(WORD, 43)),
        lambda m: joined("LT", "AI", m.of(WORD, 20)),
        lambda m: joined("sha", "256~", m.of(WORD, 43)),
    ),
    "github-token": (
        lambda m: joined("gh", "p_", m.of(WORD, 36)),
        lambda m: joined("gh", "o_", m.of(WORD, 36)),
        lambda m: joined("gh", "s_", m.of(WORD, 36)),
        lambda m: joined("gh", "u_", m.of(WORD, 36)),
        lambda m: joined("gh", "r_", m.of(WORD, 76)),
        lambda m: joined("github", "_pat_", m.of(WORD, 22), "_", m.of(WORD, 59)),
    ),
    "gitlab-token": (
        lambda m: joined("gl", "pat-", m.of(WORD, 20)),
        lambda m: joined("gl", "pat-", m.of(WORD, 27), ".", m.of(HEX, 9)),
        lambda m: joined("gl", "rt-", m.of(WORD, 20)),
        lambda m: joined("gl", "dt-", m.of(WORD, 20)),
    ),
    "npm-token": (lambda m: joined("np", "m_", m.of(WORD, 36)),),
    "pypi-token": (lambda m: joined("py", "pi-AgE", "IcHlwaS5vcmc", m.of(WORD + "-_", 130)),),
    "rubygems-token": (lambda m: joined("ruby", "gems_", m.of(HEX, 48)),),
    "docker-token": (lambda m: joined("dckr", "_pat_", m.of(WORD, 27)),),
    "atlassian-token": (lambda m: joined("ATA", "TT3", m.of(WORD + "-_=", 180)),),
    "vault-token": (lambda m: joined("hv", "s.", m.of(WORD, 95)),),
    "terraform-token": (lambda m: joined(m.of(WORD, 14), ".atlas", "v1.", m.of(WORD, 64)),),
    "slack-token": (
        lambda m: joined("xo", "xb-", m.of(DIGITS, 12), "-", m.of(DIGITS, 12), "-", m.of(WORD, 24)),
        lambda m: joined("xo", "xp-", m.of(DIGITS, 12), "-", m.of(DIGITS, 12), "-", m.of(HEX, 32)),
        lambda m: joined("xap", "p-1-A", m.of(DIGITS, 10), "-", m.of(HEX, 64)),
        lambda m: joined("xoxe.", "xoxp-1-", m.of(WORD, 160)),
    ),
    "webhook": (
        lambda m: joined("hooks.", "slack.com/services/T", m.of(UPPER, 8), "/B", m.of(WORD, 33)),
        lambda m: joined("discord.com/api/", "webhooks/", m.of(DIGITS, 18), "/", m.of(WORD, 68)),
    ),
    "telegram-token": (lambda m: joined(m.of(DIGITS, 10), ":A", "A", m.of(WORD, 33)),),
    "stripe-key": (
        lambda m: joined("sk", "_live_", m.of(WORD, 24)),
        lambda m: joined("rk", "_test_", m.of(WORD, 99)),
        lambda m: joined("wh", "sec_", m.of(WORD, 32)),
    ),
    "shopify-token": (lambda m: joined("shp", "at_", m.of(HEX, 32)),),
    "square-token": (lambda m: joined("sq0", "atp-", m.of(WORD, 22)),),
    "sendgrid-key": (lambda m: joined("S", "G.", m.of(WORD, 22), ".", m.of(WORD, 43)),),
    "twilio-key": (lambda m: joined("S", "K", m.of(HEX, 32)),),
    "jwt": (
        lambda m: joined("ey", "JhbGciOiJIUzI1NiJ9.", "eyJ", m.of(WORD, 60), ".", m.of(WORD, 43)),
    ),
    "private-key": (
        lambda m: m.pem(),
        lambda m: m.pem("OPENSSH "),
        lambda m: m.pem(""),
        lambda m: joined("AGE-", "SECRET-KEY-1", m.of(UPPER + DIGITS, 58)),
    ),
    "url-password": (
        lambda m: joined("postgres://app:", m.of(WORD, 12), "@db.internal:5432/app"),
        lambda m: joined("redis://:", m.of(WORD, 20), "@cache:6379"),
    ),
}  # fmt: skip
"""Kind -> what makes one, in each of its forms."""

NAMED: Mapping[str, tuple[Callable[[str], str], ...]] = {
    "password": (
        lambda s: f"password={s}",
        lambda s: f'  password: "{s}"',
        lambda s: f"DB_PASSWORD='{s}'",
        lambda s: f'{{"user": "me", "password": "{s}"}}',
        lambda s: f"export PGPASSWORD={s}; psql",
        lambda s: f"mysql --password={s} -h db",
        lambda s: f"tool --admin-password {s} run",
        lambda s: f"config['password'] = '{s}'",
        lambda s: f'passwd => "{s}",',
    ),
    "token": (
        lambda s: f"token: {s}",
        lambda s: f"Authorization: Bearer {s}",
        lambda s: f'curl -H "Authorization: token {s}" https://host/',
        lambda s: f'{{\\"access_token\\": \\"{s}\\"}}',
        lambda s: f"https://host/?access_token={s}&page=2",
    ),
    "api-key": (lambda s: f"API_KEY={s}", lambda s: f'api_key="{s}"', lambda s: f"x-api-key: {s}"),
    "private-key": (lambda s: f"SECRET_KEY = '{s}'", lambda s: f"signing_key: {s}"),
    "secret": (lambda s: f"client_secret={s}", lambda s: f'"clientSecret": "{s}"'),
}
"""Kind -> lines in which a value is named."""


def one_of_each(seed: int = 0) -> list[tuple[str, str]]:
    """Kind and text of a token of each form."""
    maker = Maker(seed)
    return [(kind, make(maker)) for kind, makes in TOKENS.items() for make in makes]


def named_values(seed: int = 0) -> list[tuple[str, str, str]]:
    """Kind, value and the line that names it."""
    maker = Maker(seed)
    lengths = cycle((12, 16, 24, 40))
    made = []
    for kind, lines in NAMED.items():
        for line in lines:
            value = maker.of(WORD, next(lengths))
            made.append((kind, value, line(value)))
    return made
