#!/usr/bin/env python3
"""Journals for tests of pario compare, and an independent Student's test.

usage: compare.py journal DIRECTORY VALUE...     one phase with these rates; options below
       compare.py many DIRECTORY POINTS FACTOR   five repetitions of so many points
       compare.py check PROGRAM                  p-values on the page against plain integration
  --param NAME=VALUE  --default NAME=VALUE  --clients N  --phase NAME  --point TEXT  --fail  --no_end
  --host NAME  --headline NAME --unit UNIT --better higher|lower    the values are this metric
"""
import argparse
import html
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


def main():
    {"journal": lambda w: journal(w), "many": lambda w: many(*w), "check": lambda w: check(*w)}[sys.argv[1]](
        sys.argv[2:])


if __name__ == "__main__":
    main()
