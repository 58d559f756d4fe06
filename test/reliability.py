#!/usr/bin/env python3
"""Writes the table of docs/reliability.md from the logs of the hostile and fault tests.

reliability.py LOGS DOCUMENT: LOGS is the folder with the logs of the check. A test's title says what was tried,
"# tried N" before its line how often (once without it; "# tried N of M": of so many there are), "ok" and "not ok" what came of it. The part of DOCUMENT between
the two marks is written anew.
"""

import datetime
import pathlib
import re
import sys

BEGIN, END = "<!-- made by test/reliability.py -->", "<!-- end -->"
TEST = re.compile(r"^(ok|not ok) \d+ (.*?)(?: # skip ?(.*))?$", re.IGNORECASE)


def outcome(word, skipped):
    if skipped is not None:
        return "not tried: " + (skipped.strip("() ") or "skipped")
    return "held" if word == "ok" else "**broken**"


def rows(log):
    """(what, times, outcome, " of N" or "") of every test in one log."""
    times, of = 1, ""
    for line in log.read_text(errors="replace").splitlines():
        if match := re.match(r"# tried (\d+)( of \d+)?$", line):
            times, of = int(match[1]), match[2] or ""
        elif match := TEST.match(line):
            result = outcome(match[1], match[3])
            yield match[2].replace("|", "\\|"), 0 if match[3] is not None else times, result, of
            times, of = 1, ""


def subject(source, name):
    """The comment that opens a test's file."""
    path = source / "test" / (name.replace("-", "/", 1) + ".bats")
    for line in path.read_text().splitlines():
        if line.startswith("# ") and "shellcheck" not in line:
            return line[2:].rstrip(".")
    return name


def section(source, log):
    tests = list(rows(log))
    return "\n".join(
        [f"### {subject(source, log.stem)}", "", "| tried | times | outcome |", "|---|---:|---|"]
        + [f"| {what} | {count or '–'}{of} | {result} |" for what, count, result, of in tests]
        + [""]
    ), tests


def main(logs, document):
    source = pathlib.Path(__file__).resolve().parent.parent
    found = sorted(p for kind in ("hostile", "fault") for p in pathlib.Path(logs).glob(f"{kind}-*.log"))
    parts, tests = [], []
    for log in found:
        text, own = section(source, log)
        parts.append(text)
        tests += own
    if not tests:
        sys.exit(f"reliability.py: no logs of hostile or fault tests in {logs}")
    ran = [t for t in tests if t[1]]
    held = sum(t[2] == "held" for t in ran)
    head = (
        f"{datetime.date.today().isoformat()}: {sum(t[1] for t in ran)} attempts in {len(ran)} tests, "
        f"{held} of the tests held, {len(tests) - len(ran)} were not tried on this machine.\n"
    )
    path = pathlib.Path(document)
    before, rest = path.read_text().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    path.write_text(before + BEGIN + "\n" + head + "\n" + "\n".join(parts) + END + after)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
