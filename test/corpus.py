#!/usr/bin/env python3
"""corpus.py PARIO DIR [-v]: imports every file below DIR that somebody else's programs wrote and prints, by kind and year, how
many were read and refused (by which sentence), and how many numbers were compared with a count of its own.

The count is made here from the text alone, with other code than pario's: rows of IOR's tables, mdtest's means, io500's
phases and scores, cells of Darshan's dumps where a dump (NAME.parser.txt.gz) lies beside a log. The kind is the name of the
directory, the year is the first one in the path. Exit 1 when a number differs or a file that holds one was refused.
"""
import collections
import csv
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def text_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def ior_rows(text):
    """(access, rate) of every row between a line of columns and the summary of its tests."""
    rows, columns = [], 0
    for line in text.split("\n"):
        words = line.split()
        if words[:1] == ["access"] and words[1:2] == ["bw(MiB/s)"]:
            columns = len(words)
        elif line.startswith("Summary of all tests"):
            columns = 0
        elif columns and words[:1] and words[0] in ("write", "read") and len(words) >= columns:
            if re.fullmatch(NUMBER, words[1]):
                rows.append((words[0], float(words[1])))
    return rows


def mdtest_rows(text):
    """(operation, mean) of the tables of rates, where anything was measured."""
    rows, inside = [], False
    for line in text.split("\n"):
        if line.startswith("SUMMARY"):
            inside = "SUMMARY time" not in line
        elif line.startswith("-- finished") or line.startswith("IOR-"):
            inside = False
        found = re.fullmatch(rf"\s+((?:Directory|File|Tree) \w+)\s*:?\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})\s+({NUMBER})\s*", line)
        if inside and found and float(found[2]) != 0:
            rows.append((found[1].lower(), float(found[4])))
    return rows


def io500_rows(text):
    """(phase, score) of result lines and of the sections of a result.txt; each once per run."""
    rows, section = [], ""
    sectioned = re.search(r"^t_start\s*=", text, re.M)
    for line in text.split("\n"):
        found = re.match(r"\[(?:RESULT[^\]]*|      )\]\s+(?:(?:BW|IOPS)\s+phase\s+\d+\s+)?(\S+)\s+(\S+)\s+\S+\s*:\s*time", line)
        total = re.match(r"\[(SCORE ?|SCOREX|SCORE-invalid)\] .*TOTAL\s+(\S+)", line)
        head = re.match(r"\s*\[([^\]]+)\]\s*", line)
        value = re.match(r"\s*(score|SCORE)\s*=\s*([^\s;\[]+)", line)
        if found and float(found[2]) > 0:
            row = (found[1].replace("_", "-"), float(found[2]))
        elif total:
            row = ("score extended" if total[1] == "SCOREX" else "score", float(total[2]))
        elif sectioned and value and section:
            name = {"SCORE": "score", "SCOREX": "score extended"}.get(section, section)
            row = (name, float(value[2])) if float(value[2]) > 0 or name.startswith("score") else None
        else:
            row = None
        if head and not found and not total:
            section = head[1]
        if row and row not in rows:
            rows.append(row)
    return rows


def journal_rows(directory):
    rows = collections.defaultdict(list)
    with open(os.path.join(directory, "journal.jsonl"), encoding="utf-8") as file:
        for line in file:
            result = json.loads(line)
            if result["kind"] != "result":
                continue
            metrics = result["metrics"]
            for name in ("bwMiB", "mean", "score", "SCORE"):
                if name in metrics and (name != "mean" or result["test"] == "mdtest"):
                    rows[result["test"]].append((result["phase"], metrics[name]["value"]))
    return rows


def differences(wanted, got):
    """Rows of one list without a partner in the other."""
    left = list(got)
    missing = []
    for row in wanted:
        partner = next((g for g in left if g[0] == row[0] and math.isclose(g[1], row[1], rel_tol=1e-9)), None)
        if partner:
            left.remove(partner)
        else:
            missing.append(row)
    return missing, left


def darshan_cells(text):
    """(module, rank, record, counter) of a dump, and the value as it stands there."""
    rows = (line.split("\t") for line in text.split("\n") if line and not line.startswith("#"))
    return {tuple(r[:4]): r[4] for r in rows if len(r) > 4}


# Where darshan-parser 3.5.0 goes wrong with records of POSIX before version 4 (docs/import.md).
DOUBTFUL = re.compile(r"POSIX_F_(VARIANCE_RANK_(TIME|BYTES)|META_TIME|MAX_(READ|WRITE)_TIME)")


def same(wanted, got):
    """Ids have no sign in a dump, and some have in a log; times have six digits."""
    if wanted == got or wanted.lstrip("-") == got.lstrip("-") == "0.000000":
        return True
    return wanted.lstrip("-").isdigit() and got.lstrip("-").isdigit() and (int(wanted) - int(got)) % 2**64 == 0


def examine_log(pario, path):
    """Every counter of a log of Darshan against the dump beside it: (compared, differences)."""
    text = text_of(path.replace(".darshan", ".parser.txt.gz"))
    wanted = darshan_cells(text)
    old = re.search(r"# POSIX module: .*ver=[123]$", text, re.M)
    done = subprocess.run([pario, "profile", path, "--csv", "-"], capture_output=True, text=True, errors="replace", check=False)
    got = {tuple(row[:4]): row[4] for row in csv.reader(done.stdout.splitlines()[1:])}
    doubtful = [k for k in wanted if old and DOUBTFUL.fullmatch(k[3])]
    bad = [f"{' '.join(k)} is {v} in the dump and {got.get(k)} here" for k, v in wanted.items()
           if k not in doubtful and not same(v, got.get(k, ""))]
    return len(wanted) - len(doubtful), bad


class Table:
    def __init__(self):
        self.cells = collections.defaultdict(lambda: [0, 0, 0, 0])
        self.refusals = collections.Counter()
        self.wrong = []

    def add(self, kind, year, path, read, sentence, checked, bad):
        cell = self.cells[(kind, year)]
        cell[0 if read else 1] += 1
        cell[2] += checked
        cell[3] += len(bad)
        if not read:
            self.refusals[re.sub(re.escape(path), "FILE", sentence)[:160]] += 1
        self.wrong += [f"{path}: {b}" for b in bad]

    def show(self):
        print(f"{'kind':<22}{'year':<6}{'read':>6}{'refused':>9}{'numbers':>9}{'differ':>8}")
        for (kind, year), (read, refused, checked, bad) in sorted(self.cells.items()):
            print(f"{kind:<22}{year:<6}{read:>6}{refused:>9}{checked:>9}{bad:>8}")
        print("\nrefused by")
        for sentence, count in self.refusals.most_common():
            print(f"{count:>6}  {sentence}")
        for wrong in self.wrong:
            print("differs:", wrong)


def examine(pario, path, scratch):
    """(read, sentence, numbers compared, differences)"""
    output = os.path.join(scratch, "run")
    subprocess.run(["rm", "-rf", output], check=True)
    done = subprocess.run([pario, "import", path, "--output", output], capture_output=True, text=True, check=False)
    read = done.returncode == 0
    got = journal_rows(output) if read else {}
    bad, checked = [], 0
    if path.endswith(".darshan") and os.path.exists(path.replace(".darshan", ".parser.txt.gz")):
        checked, bad = examine_log(pario, path)
    if not path.endswith((".csv", ".json", ".darshan")):
        text = text_of(path)
        for test, rows in (("ior", ior_rows(text)), ("mdtest", mdtest_rows(text)), ("io500", io500_rows(text))):
            missing, more = differences(rows, got.get(test, []))
            checked += len(rows)
            bad += [f"{test} {row} is missing" for row in missing] + [f"{test} {row} is not in the file" for row in more]
    return read, done.stderr.strip().split("\n")[0], checked, bad


def main():
    pario, top = os.path.abspath(sys.argv[1]), sys.argv[2]
    table = Table()
    with tempfile.TemporaryDirectory() as scratch:
        for directory, folders, files in os.walk(top):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(directory, name)
                kind = os.path.relpath(directory, top).split(os.sep)
                year = re.search(r"20[0-3]\d", os.path.relpath(path, top))
                result = examine(pario, path, scratch)
                table.add(kind[1] if len(kind) > 1 and not re.match(r"20", kind[1]) else kind[0], year[0] if year else "-", path, *result)
                if "-v" in sys.argv:
                    print(path, *result[:3])
    table.show()
    sys.exit(1 if table.wrong else 0)


main()
