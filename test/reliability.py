#!/usr/bin/env python3
"""Writes the tables of docs/reliability.md from the logs of the hostile and fault tests, and from sweeps of failing calls.

reliability.py LOGS DOCUMENT: LOGS is the folder with the logs of the check. A test's title says what was tried,
"# tried N" before its line how often (once without it; "# tried N of M": of so many there are), "ok" and "not ok" what came of it.
What test/fault/each.py said is in sweep*.log; of two that tried a case, the one that tried more counts. The part of DOCUMENT between
each pair of marks is written anew where there are logs for it.
"""

import datetime
import pathlib
import re
import sys

BEGIN, END = "<!-- made by test/reliability.py -->", "<!-- end -->"
BEGIN_SWEEP = "<!-- made by test/reliability.py from sweeps -->"
SWEPT = re.compile(r"^(.*), (openmpi|mpich): tried (\d+) of (\d+), (\d+) held$")
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


def between(text, begin, made):
    before, rest = text.split(begin, 1)
    return before + begin + "\n" + made + END + rest.split(END, 1)[1]


def sweep(logs):
    """The table of failing calls: a row for each case."""
    cases, days = {}, set()
    for line in [line for log in logs for line in log.read_text(errors="replace").splitlines()]:
        if match := SWEPT.match(line):
            numbers = [int(n) for n in match.groups()[2:]]
            case = cases.setdefault(match[1], {})
            case[match[2]] = max(case.get(match[2], [0, 0, 0]), numbers)
        elif match := re.search(r"\(day ([\d-]+)\)$", line):
            days.add(match[1])
    lines = [f"On {' and '.join(sorted(days))}:", "", "| case | calls | Open MPI: held of tried | MPICH: held of tried |",
             "|---|---:|---:|---:|"]
    total = {mpi: [sum(c[mpi][i] for c in cases.values() if mpi in c) for i in range(3)] for mpi in ("openmpi", "mpich")}
    for name, case in [*cases.items(), ("all", total)]:
        cells = [f"{case[mpi][2]} of {case[mpi][0]}" if case.get(mpi, [0])[0] else "not tried" for mpi in ("openmpi", "mpich")]
        lines.append(f"| {name} | {max(c[1] for c in case.values())} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def attacks(logs):
    """The tables of the tests, one for each file of them."""
    source = pathlib.Path(__file__).resolve().parent.parent
    parts, tests = [], []
    for log in logs:
        text, own = section(source, log)
        parts.append(text)
        tests += own
    ran = [t for t in tests if t[1]]
    held = sum(t[2] == "held" for t in ran)
    return (
        f"{datetime.date.today().isoformat()}: {sum(t[1] for t in ran)} attempts in {len(ran)} tests, "
        f"{held} of the tests held, {len(tests) - len(ran)} were not tried on this machine.\n\n" + "\n".join(parts)
    )


def main(logs, document):
    path, logs = pathlib.Path(document), pathlib.Path(logs)
    tests = sorted(p for kind in ("hostile", "fault") for p in logs.glob(f"{kind}-*.log"))
    sweeps = sorted(logs.glob("sweep*.log"))
    if not tests and not sweeps:
        sys.exit(f"reliability.py: no logs of hostile or fault tests, or of sweeps, in {logs}")
    text = path.read_text()
    if tests:
        text = between(text, BEGIN, attacks(tests))
    if sweeps:
        text = between(text, BEGIN_SWEEP, sweep(sweeps))
    path.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
