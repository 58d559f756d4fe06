#!/usr/bin/env python3
"""Works out b_eff from the single measurements of a journal, by the formulae of docs/beff.md and nothing of pario.

usage: beff.py recompute JOURNAL    compares with the journal's own metrics to the last digit, prints what it found
       beff.py rings JOURNAL        the sizes that the pattern names tell
       beff.py orders JOURNAL       the processes of the random patterns in their order
       beff.py head JOURNAL ITEM    an item of the head
"""
import json
import math
import sys

LENGTHS, METHODS = 21, 3


def results(path):
    with open(path, encoding="utf-8") as journal:
        for line in journal:
            line = json.loads(line)
            if line["kind"] == "result":
                yield line


def rows(result, sheet):
    sheet = result["sheets"].get(sheet, {"columns": [], "rows": []})
    return [dict(zip(sheet["columns"], row)) for row in sheet["rows"]]


def head(result, item):
    return [row["value"] for row in rows(result, "head") if row["item"] == item]


def logavg(values):
    total = 0.0
    for value in values:
        total += math.log(value)
    return math.exp(total / len(values))


def bandwidth(row, lengths, patterns, release, n):
    """From loop, time and messages; 3.6 takes the slowest process by its own messages where ring sizes are mixed."""
    pattern = patterns[row["pattern"]]
    paper = lengths[row["length"]] * pattern["messages"] * row["loop"] / (row["max_ns"] / 1e9)
    mixed = pattern["group"] != "additional" and pattern["messages"] not in (n, 2 * n)
    return row["bandwidth"] if release == "3.6" and mixed else paper


def recompute(result):
    n = result["clients"]
    release = head(result, "release")[0]
    lengths = [row["bytes"] for row in rows(result, "lengths")]
    patterns = rows(result, "patterns")
    best = {}
    for row in rows(result, "measurements"):
        value = bandwidth(row, lengths, patterns, release, n)
        assert math.isclose(value, row["bandwidth"], rel_tol=1e-14), (value, row)
        if patterns[row["pattern"]]["messages"] and release == "paper":
            assert value == row["bandwidth"], (value, row)
        key = row["pattern"], row["length"]
        best[key] = max(best.get(key, 0), row["bandwidth"])

    def complete(p):
        return all((p, i) in best for i in range(LENGTHS))

    def mean(p):
        total = 0.0
        for i in range(LENGTHS):
            total += best[p, i]
        return total / LENGTHS

    rings = [p for p, row in enumerate(patterns) if row["group"] == "ring"]
    random = [p for p, row in enumerate(patterns) if row["group"] == "random" and complete(p)]
    pair = [p for p, row in enumerate(patterns) if row["name"] == "ping-pong"][0]

    def final(of):
        return logavg([logavg([of(p) for p in rings]), logavg([of(p) for p in random])])

    b_eff = final(mean)
    at_lmax = final(lambda p: best[p, LENGTHS - 1])
    return {
        "b_eff": b_eff / 1e6,
        "b_eff_per_process": b_eff / 1e6 / n,
        "b_eff_at_lmax": at_lmax / 1e6,
        "rings_at_lmax": logavg([best[p, LENGTHS - 1] for p in rings]) / 1e6,
        "latency_us": n / final(lambda p: best[p, 0]) * 1e6,
        "latency_rings_us": n / logavg([best[p, 0] for p in rings]) * 1e6,
        "latency_pingpong_us": 1 / best[pair, 0] * 1e6,
        "pingpong_mb_s": best[pair, LENGTHS - 1] / 1e6,
        "random_patterns": len(random),
        "lmax_bytes": lengths[-1],
        "memory_communicated_s": head(result, "memory_bytes")[0] * n / b_eff,
    }


def main():
    what, path = sys.argv[1:3]
    for result in results(path):
        if what == "recompute":
            for name, value in recompute(result).items():
                metric = result["metrics"][name]["value"]
                assert metric == value, f"{name} is {metric!r} in the journal and {value!r} by its measurements"
            print(result["clients"], len(rows(result, "measurements")), "equal")
        elif what == "rings":
            print(*[row["name"] for row in rows(result, "patterns") if row["group"] == "ring"])
        elif what == "orders":
            print(*[row["order"] for row in rows(result, "patterns") if row["group"] == "random"], sep="\n")
        elif what == "head":
            print(*head(result, sys.argv[3]))


main()
