#!/usr/bin/env python3
"""summary.py CHECK_DIR SECONDS: what the last run of CTest says, counted by case.

A step that reports in TAP counts once per case, any other once. Prints why something was skipped, what took longest, how
long processors were busy with it (the same on a quiet machine and on a busy one), what held only when it was tried again,
and as its last line `N passed, N failed, N skipped`; exits with 1 when anything failed or nothing ran.

CHECK_DIR/unsteady.json remembers what was unsteady. A step that held only in its second run (test/run) fails when one of its
last three runs went like that, too: once is a disturbance. A case that says itself that a busy machine may hide what it looks
for (once_of) fails when all of them did.
"""
import json
import os
import re
import sys
import xml.etree.ElementTree as xml

TAP = re.compile(r"^(not )?ok\b[ \t]*\d*[ \t]*(?:- )?([^#\n]*)(?:# *(skip)\b[ \t]*(.*))?", re.IGNORECASE | re.MULTILINE)
CPU = re.compile(r"^cpu: (.*)", re.MULTILINE)
AGAIN = re.compile(r"^# tried again: (.*)", re.MULTILINE)  # by once_of, test/wait.bash
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


class Unsteady:
    """What held only at a further try, now and in the last runs."""

    RUNS = 3

    def __init__(self, directory):
        self.path = os.path.join(directory, "unsteady.json")
        self.before = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.before = json.load(file)

    def judge(self, ran, steps, cases):
        """Of the names that ran, what is said of each unsteady one and whether it fails; then remembers this run."""
        said, now = [], {**dict.fromkeys(cases, self.RUNS), **dict.fromkeys(steps, 1)}
        for name in sorted(now):
            past = self.before.get(name, [])
            fails = sum(past) >= now[name]
            said.append((fails, f"{name}: {'beside others, ' if name in steps else ''}now and in {sum(past)} of its last {self.RUNS} runs"))
        for name in set(self.before) | set(now):
            if name in now or name.split(": ")[0] in ran:
                self.before[name] = [*self.before.get(name, []), name in now][-self.RUNS:]
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({name: past for name, past in sorted(self.before.items()) if any(past)}, file, indent=1)
        return said


def main():
    directory, seconds = sys.argv[1], int(sys.argv[2])
    count, times, tried = Count(), [], set()
    first, again = results(directory, "results.xml"), results(directory, "again.xml")
    for name, status, taken, text in steps(directory, again):
        count.add(name, status, text)
        times.append((taken, processor_seconds(text), name))
        tried.update(f"{name}: {case}" for case in AGAIN.findall(text))
    if count.reasons:
        print("skipped:")
        print("".join(f"  {reason}\n" for reason in count.reasons), end="")
    if len(times) > 20:
        print("slowest:")
        for taken, busy, name in sorted(times, reverse=True)[:12]:
            print(f"  {taken:7.1f} s, on processors {busy:6.1f} s  {name}")
    held = {name for name in again if first.get(name, ("",))[0] == "fail" and again[name][0] == "run"}
    unsteady = Unsteady(directory).judge(set(first), held, tried)
    if unsteady:
        print("held only at a further try:")
        print("".join(f"  {'FAILED: ' if fails else ''}{text}\n" for fails, text in unsteady), end="")
    count.failed += sum(fails for fails, _ in unsteady)
    busy = sum(time[1] for time in times)
    print(f"logs in {directory}, {seconds // 60} min {seconds % 60} s, on processors {busy / 60:.1f} min")
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    return 0 if count.passed and not count.failed else 1


sys.exit(main())
