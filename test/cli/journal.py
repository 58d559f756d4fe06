#!/usr/bin/env python3
"""Looks into pario journals.

usage: journal.py fields JOURNAL NAME...   members of every result, one line each; a.b reaches inside
       journal.py end JOURNAL NAME         a member of the last line; lists one per line
       journal.py begin JOURNAL NAME       a member of the first line
       journal.py notes JOURNAL            the texts of all notes
       journal.py consistent JOURNAL       do the numbers of every result fit each other?
       journal.py count JOURNAL            do bytes and operations of every result follow from its parameters?
"""
import json
import sys

import golden

MIB = 1 << 20


def fail(text):
    sys.exit(f"journal.py: {text}")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def member(line, name):
    for part in name.split("."):
        line = line[part]
    return line


def show(value):
    return json.dumps(value) if isinstance(value, (dict, list, bool)) or value is None else str(value)


def close(a, b, what):
    if abs(a - b) > 1e-6 * max(abs(a), abs(b)):
        fail(f"{what}: {a} and {b} do not agree")


def ordered(values, what):
    if values != sorted(values):
        fail(f"{what} are not in order: {values}")


def consistent(result):
    where = f"{result['point']} {result['phase']} {result['clients']} clients"
    seconds, between, latency = result["seconds"], result["between_clients"], result["latency_ns"]
    if result["outcome"] in ("fail", "skip"):
        if result["rate_mib_s"] is not None or not result["reason"]:
            fail(f"{where}: a {result['outcome']} with a rate or without a reason")
        return
    close(result["rate_mib_s"], result["bytes"] / MIB / seconds["total"], f"{where}: the rate")
    # The slowest client's own time, plus at most what the clients started apart.
    spread = result["metrics"]["barrier_exit_spread_s"]["value"]
    if not between["max_s"] * (1 - 1e-9) <= seconds["total"] <= (between["max_s"] + spread) * (1 + 1e-6):
        fail(f"{where}: the slowest client took {between['max_s']}, the clients {spread} apart, all {seconds['total']}")
    ordered([between["min_s"], between["mean_s"], between["max_s"]], f"{where}: times of clients")
    if result["clients"] == 1:
        close(between["min_s"], between["max_s"], f"{where}: the only client")
        if between["variance"] != 0:
            fail(f"{where}: one client has a variance")
    # The variance of numbers within [min, max] is at most a quarter of the range squared.
    if not 0 <= between["variance"] <= (between["max_s"] - between["min_s"]) ** 2 / 4 * 2.01 + 1e-18:
        fail(f"{where}: the variance {between['variance']} does not fit {between}")
    parts = [seconds[name] for name in ("open", "transfer", "sync", "close")]
    if min(parts) < 0 or max(parts) > seconds["total"] * (1 + 1e-9):
        fail(f"{where}: a part is longer than the whole: {seconds}")
    # Each part is the slowest client's, so together they reach at least what the slowest client took.
    if sum(parts) < between["max_s"] * (1 - 1e-6):
        fail(f"{where}: the parts do not cover the whole: {seconds}")
    if result["rate_first_done_mib_s"] is None or result["rate_first_done_mib_s"] < 0:
        fail(f"{where}: no rate when the first client was done")
    ordered([latency[n] for n in ("min", "p50", "p90", "p99", "p999", "max")], f"{where}: latencies")
    if latency["count"] != result["ops"]:
        fail(f"{where}: {latency['count']} latencies of {result['ops']} operations")


def count(begin, result):
    point = golden.Point(begin, result)
    places = [list(point.places(c)) for c in range(point.clients)]
    ops, size = sum(map(len, places)), sum(length for p in places for _, length in p)
    if (result["ops"], result["bytes"]) != (ops, size):
        fail(f"{point}: {result['ops']} operations, {result['bytes']} bytes; should be {ops}, {size}")


def main(command, path, *names):
    lines = lines_of(path)
    results = [line for line in lines if line["kind"] == "result"]
    if not results and command in ("consistent", "count"):
        fail("there are no results")
    if command == "fields":
        for result in results:
            print(*(show(member(result, name)) for name in names))
    elif command in ("begin", "end"):
        line = lines[0 if command == "begin" else -1]
        if line["kind"] != command:
            fail(f"{path} has no {command} line in its place")
        value = member(line, names[0])
        print(*value if isinstance(value, list) else [show(value)], sep="\n")
    elif command == "notes":
        print(*(line["text"] for line in lines if line["kind"] == "note"), sep="\n")
    elif command == "consistent":
        for result in results:
            consistent(result)
    elif command == "count":
        measured = [result for result in results if result["outcome"] != "skip"]
        for result in measured:
            count(lines[0], result)
        print(len(measured))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
