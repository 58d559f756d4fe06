#!/usr/bin/env python3
"""summary.py CHECK_DIR SECONDS: what the last run of CTest says, counted by case.

A step that reports in TAP counts once per case, any other once. Prints why something was skipped, what took longest, how
long processors were busy with it (the same on a quiet machine and on a busy one), and as its last line
`N passed, N failed, N skipped`; exits with 1 when anything failed or nothing ran.
"""
import os
import re
import sys
import xml.etree.ElementTree as xml

TAP = re.compile(r"^(not )?ok\b[ \t]*\d*[ \t]*(?:- )?([^#\n]*)(?:# *(skip)\b[ \t]*(.*))?", re.IGNORECASE | re.MULTILINE)
CPU = re.compile(r"^cpu: (.*)", re.MULTILINE)
PLAN = re.compile(r"^1\.\.(\d+)", re.MULTILINE)


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.reasons = []

    def skip(self, name, reason):
        self.skipped += 1
        self.reasons.append(f"{name}: {reason.strip() or 'no reason given'}")

    def cases(self, name, text, good):
        """Adds the cases of a program that reports in TAP; one that ends before its plan does has failed."""
        bad = seen = 0
        for wrong, title, skip, reason in TAP.findall(text):
            seen += 1
            if skip:
                self.skip(name, f"{title.strip()}: {reason}" if title.strip() else reason)
            elif wrong:
                bad += 1
            else:
                self.passed += 1
        if seen != sum(map(int, PLAN.findall(text))) or (not good and not bad):
            bad += 1
        self.failed += bad

    def add(self, name, status, text):
        reason = re.findall(r"^skip: (.*)", text, re.MULTILINE)
        if status == "run" and re.match(r"(unit|cli|fault|hostile|browser)/", name) and PLAN.search(text):
            self.cases(name, text, True)
        elif status == "fail" and PLAN.search(text):
            self.cases(name, text, False)
        elif status == "run":
            self.passed += 1
        elif status == "fail":
            self.failed += 1
        else:
            self.skip(name, reason[-1] if reason else "what it needs was not built")


def processor_seconds(text):
    """What test/step noted at the end of a log: user and system time of everything it started."""
    return sum(60 * int(m) + float(s) for line in CPU.findall(text)[-1:] for m, s in re.findall(r"(\d+)m([\d.]+)s", line))


def results(directory, name):
    """What CTest wrote about a run: status and seconds of every step; nothing where there was no such run."""
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        return {}
    cases = xml.parse(path).getroot().iter("testcase")
    return {case.get("name"): (case.get("status"), float(case.get("time") or 0)) for case in cases}


def steps(directory, again):
    """Name, outcome, seconds and output of every step of the last run; of one that was tried again the second time counts."""
    for name, (status, taken) in {**results(directory, "results.xml"), **again}.items():
        log = os.path.join(directory, name.replace("/", "-") + ".log")
        text = ""
        if os.path.exists(log):
            with open(log, encoding="utf-8", errors="replace") as file:
                text = file.read()
        yield name, status, taken, text


def main():
    directory, seconds = sys.argv[1], int(sys.argv[2])
    count, times = Count(), []
    first, again = results(directory, "results.xml"), results(directory, "again.xml")
    for name, status, taken, text in steps(directory, again):
        count.add(name, status, text)
        times.append((taken, processor_seconds(text), name))
    if count.reasons:
        print("skipped:")
        print("".join(f"  {reason}\n" for reason in count.reasons), end="")
    if len(times) > 20:
        print("slowest:")
        for taken, busy, name in sorted(times, reverse=True)[:12]:
            print(f"  {taken:7.1f} s, on processors {busy:6.1f} s  {name}")
    unsteady = sorted(name for name in again if first.get(name, ("",))[0] == "fail" and again[name][0] == "run")
    if unsteady:
        print("unsteady (failed beside others, held by themselves): " + ", ".join(unsteady))
    busy = sum(time[1] for time in times)
    print(f"logs in {directory}, {seconds // 60} min {seconds % 60} s, on processors {busy / 60:.1f} min")
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    return 0 if count.passed and not count.failed else 1


sys.exit(main())
