"""Lines that only say that work goes on: downloads, compilation, layers, bars."""

from __future__ import annotations

import re

_STARTS = re.compile(
    r"(?:Collecting \S|\s*Downloading |\s*Downloaded |\s*Using cached |Requirement already sat"
    r"|\s*(?:Building|Created) wheel|\s*Preparing metadata|\s*Getting requirements to"
    r"|\s*Installing build depend|\s*Stored in directory|Installing collected pack"
    r"|\s{2,}(?:Compiling|Checking|Fresh|Documenting|Adding|Locking) \S+ v\d"
    r"|\s{2,}Updating \S+ (?:index|v\d)"
    r"|Compiling \d+ files? \(|Generated \S+ app$|==> [\w.-]+$"
    r"|npm (?:http|timing|verb|sill|notice|info) "
    r"|\s*(?:CC|CXX|LD|AR|AS|GEN|HOSTCC|RANLIB|OBJCOPY)(?: \[M\])? {1,}\S+$"
    r"|\[ *\d{1,3}%\] (?:Building|Linking|Generating|Scanning|Built)"
    r"|\[\d+/\d+\] (?:Building|Linking|Compiling|Fetching|Resolving|Generating|Copying) "
    r"|(?:Get|Hit|Ign):\d+ http|Selecting previously unsel|Preparing to unpack|Unpacking \S"
    r"|Setting up \S+ \(|\(Reading database|Processing triggers for"
    r"|(?:remote: )?(?:Counting|Compressing|Receiving|Enumerating|Writing) objects:"
    r"|(?:remote: )?Resolving deltas:|Updating files:"
    r"|Download(?:ing|ed) from \S+: http|Progress \(\d+\):"
    r"|go: (?:downloading|extracting|finding) \S+ v"
    r"|[0-9a-f]{12}: (?:Pulling|Waiting|Downloading|Extracting|Verifying|Download comp|Pull comp"
    r"|Already ex|Pushed|Preparing|Pushing|Layer already|Mounted)"
    r"|#\d+ (?:sha256:|extracting|exporting|writing|naming|resolve |transferring|DONE|CACHED)"
    r"|\s*% Total    % Received|\s+Dload  Upload)"
)
_BAR = re.compile(r"\d{1,3}(?:\.\d+)?% ?[|\[(]|[█▏▎▍▌▋▊▉━╸#=]{4,}[ >\]|.-]*\s*\d|\.{10} \.{10}")
_METER = re.compile(r"\s*\d{1,3} +[\d.]+[kMG]? +\d{1,3} +[\d.]+[kMG]? +\d")
_ENDS = re.compile(r"(?:[kKMG]i?B/s|\beta\b|--:--:--| \d+(?:\.\d+)?(?:it|B)/s)")
_ERROR = re.compile(r"error|fail|denied|not found|warning", re.IGNORECASE)


def progressing(line: str) -> bool:
    """The line only says that work goes on."""
    if not line or len(line) > 400 or not _marked(line):
        return False
    return not _ERROR.search(line)


def _marked(line: str) -> bool:
    if _STARTS.match(line):
        return True
    if "%" in line and (_BAR.search(line) or _ENDS.search(line)):
        return True
    return "--:--:--" in line and bool(_METER.match(line))
