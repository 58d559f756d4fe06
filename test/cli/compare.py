#!/usr/bin/env python3
"""Journals for tests of pario compare, and an independent Student's test.

usage: compare.py journal DIRECTORY VALUE...     one phase with these rates; options below
       compare.py many DIRECTORY POINTS FACTOR   five repetitions of so many points
       compare.py check PROGRAM                  p-values on the page against plain integration
       compare.py planted PROGRAM NOISE FACTOR SESSIONS RUNS   A against B, which takes FACTOR times as long, with NOISE (0.31 = 31 %)
                                                 of each kind; RUNS of each side, 0 = as many as one of each said it takes
  --param NAME=VALUE  --default NAME=VALUE  --clients N  --phase NAME  --point TEXT  --fail  --no_end
  --host NAME  --headline NAME --unit UNIT --better higher|lower    the values are this metric
"""
import argparse
import html
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import journals  # noqa: E402


def pairs(words, origin):
    return {w.split("=", 1)[0]: {"value": w.split("=", 1)[1], "origin": origin} for w in words}


def journal(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("values", nargs="*", type=float)
    parser.add_argument("--param", action="append", default=[])
    parser.add_argument("--default", action="append", default=[])
    parser.add_argument("--test", default="transfer")
    parser.add_argument("--phase", default="write")
    parser.add_argument("--point", default="")
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("--no_end", action="store_true")
    parser.add_argument("--host")
    parser.add_argument("--headline")
    parser.add_argument("--unit", default="s")
    parser.add_argument("--better", default="higher")
    given = parser.parse_args(arguments)
    first = journals.begin(given.test)
    if given.host:
        first["machine"] = {**first.get("machine", {}), "host": given.host}
    first["run"] = "%08x" % zlib.crc32(os.path.abspath(given.directory).encode())
    first["params"] = {**pairs(given.param, "command line"), **pairs(given.default, "default")}
    lines = [first]
    for point in given.point.split("|"):
        for i, value in enumerate(given.values):
            outcome = ("fail", "the disk is full") if given.fail else ("pass", "")
            line = journals.result(given.test, given.phase, 100.0 if given.headline else value, point,
                                   given.clients, i, *outcome,
                                   metrics={given.headline: (value, given.unit)} if given.headline else None)
            if given.headline:
                line.update(headline=given.headline, better=given.better)
            lines.append(line)
    journals.write(given.directory, lines if given.no_end else lines + [journals.end()])


def many(directory, points, factor):
    lines = [journals.begin("transfer")]
    for point in range(int(points)):
        for i, noise in enumerate(journals.NOISE):
            lines.append(journals.result("transfer", "write", (100 + point) * noise * float(factor),
                                         f"transfer_size={point + 1}", 1, i))
    journals.write(directory, lines + [journals.end()])


def student(t, freedom):
    """Two-sided p by integrating the density from 0 to |t| in small steps (Simpson)."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    steps = 4000
    h = abs(t) / steps
    area = h / 3 * sum(density(i * h) * (1 if i in (0, steps) else 4 if i % 2 else 2) for i in range(steps + 1))
    return max(0, 1 - 2 * area)


def expected(a, b):
    """What docs/methodology.md says of one run each, where nothing is known of others."""
    logs = [[math.log(v) for v in side] for side in (a, b)]
    freedom = len(a) + len(b) - 2
    if freedom == 0:
        return 1
    within = sum(sum((v - statistics.mean(side)) ** 2 for v in side) for side in logs) / freedom
    off = statistics.median(logs[1]) - statistics.median(logs[0])
    return student(off / math.sqrt(2 * (4 * within + 0.02 ** 2)), freedom)


def shown(program, a, b, where):
    for name, values in (("a", a), ("b", b)):
        journal([os.path.join(where, name)] + [str(v) for v in values])
    page = os.path.join(where, "page.html")
    subprocess.run([program, "compare", os.path.join(where, "a"), os.path.join(where, "b"), "--out", page],
                   check=True, stdout=subprocess.DEVNULL, timeout=60)
    with open(page, encoding="utf-8") as file:
        row = re.search(r"<tr><td>transfer write.*?</tr>", file.read(), re.S).group(0)
    cells = [html.unescape(c) for c in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
    return float(cells[4])


def check(program):
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as where:
        for case in range(24):
            draw = (lambda: float(chance.randint(1, 4))) if case % 2 else (lambda: chance.uniform(1, 2))
            a = [draw() for _ in range(chance.randint(1, 7))]
            b = [draw() * (1 if case % 3 else 1.3) for _ in range(chance.randint(1, 7))]
            wanted, found = expected(a, b), shown(program, a, b, where)
            if abs(wanted - found) > 0.00051:
                sys.exit(f"compare.py: p of {a} and {b} is {found}, integration gives {wanted}")


# Deviations from the middle, in units of their standard deviation, of `count` runs of five repetitions one after the other.
def normal(chance, count):
    return [[chance.gauss(0, 1) for _ in range(5)] for _ in range(count)]


def uniform(chance, count):
    return [[chance.uniform(-3 ** 0.5, 3 ** 0.5) for _ in range(5)] for _ in range(count)]


def spikes(chance, count):
    """Nine of ten are steady; the tenth is slow."""
    return [[-(10 / 3) if chance.random() < 0.1 else chance.gauss(0, 1) / 3 for _ in range(5)] for _ in range(count)]


def of_runs(chance, count):
    """Half of the variance is of the run, and its repetitions agree more."""
    half = 0.5 ** 0.5
    return [[half * (run + chance.gauss(0, 1)) for _ in range(5)] for run in (chance.gauss(0, 1) for _ in range(count))]


def waves(chance, count):
    """Others come and go: each value keeps nine tenths of the one before."""
    value, out = chance.gauss(0, 1), []
    for _ in range(count):
        out.append([])
        for _ in range(5):
            value = 0.9 * value + 0.19 ** 0.5 * chance.gauss(0, 1)
            out[-1].append(value)
    return out


def session(program, model, chance, noise, factor, runs, where):
    """The verdict of one comparison, and how many runs of each side it asks for (None: of none)."""
    sides, deviations = ([], []), model(chance, 2 * runs)
    for i, run in enumerate(deviations):  # alternately, as one would
        at = os.path.join(where, "ab"[i % 2] + str(i))
        journal([at] + [str(100 * math.exp(noise * v) / (factor if i % 2 else 1)) for v in run])
        sides[i % 2].append(at)
    call = [program, "compare", "--history", "none", *sides[0], "--", *sides[1]]
    verdict = json.loads(subprocess.run(call[:2] + ["--json"] + call[2:], check=True, stdout=subprocess.PIPE, timeout=300).stdout)["points"][0]["verdict"]
    words = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout
    asked = re.search(r"takes\s+about\s+(\d+)\s+runs", words)
    if verdict == "cannot be decided" and not (asked and "compare --run" in words):
        sys.exit(f"compare.py: cannot be decided, and nothing says what would decide:\n{words}")
    return verdict, int(asked.group(1)) if asked else None


def planted(program, noise, factor, sessions, runs):
    noise, factor, sessions, runs = float(noise), float(factor), int(sessions), int(runs)
    for model in (normal, uniform, spikes, of_runs, waves):
        chance, tally, asked = random.Random(model.__name__), {}, []
        for _ in range(sessions):
            with tempfile.TemporaryDirectory() as where:
                verdict, wanted = session(program, model, chance, noise, factor, runs or 1, where)
            if not runs and wanted:
                with tempfile.TemporaryDirectory() as where:
                    verdict, _ = session(program, model, chance, noise, factor, min(wanted, 120), where)
            tally[verdict] = tally.get(verdict, 0) + 1
            asked += [wanted] if wanted else []
        middle = statistics.median(asked) if asked else 0
        print(model.__name__, *(tally.get(v, 0) for v in ("slower", "faster", "no difference found", "cannot be decided")),
              round(middle))


def main():
    {"planted": lambda w: planted(*w), "journal": lambda w: journal(w), "many": lambda w: many(*w), "check": lambda w: check(*w)}[sys.argv[1]](
        sys.argv[2:])


if __name__ == "__main__":
    main()
