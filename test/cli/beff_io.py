#!/usr/bin/env python3
"""Checks a run of beff_io by rules written down here a second time, from the journal and the kept files alone.

usage: beff_io.py values JOURNAL   every metric, and the values in beff_io.sum, from the stored measurements
       beff_io.py files JOURNAL    every byte of the kept files of the last client count
       beff_io.py times JOURNAL    prints the largest share of decisions and how late the latest pattern ended

Prints what was checked; exits 1 with a sentence at the first difference.
"""
import array
import json
import math
import mmap
import os
import re
import sys

KB, MB = 1024, 1 << 20
PHASES = "write", "rewrite", "read"
FIRST = 0, 9, 17, 25, 34, 43
UNITS = [0, 4, 4, 4, 2, 2, 2, 2, 2, 0, 4, 2, 1, 1, 1, 1, 2] + [0, 2, 2, 1, 1, 1, 1, 2] * 2 + [0]
UNITS += UNITS[25:]


def fail(text):
    sys.exit(text)


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def rows(result, sheet):
    found = result.get("sheets", {}).get(sheet, {"columns": [], "rows": []})
    return [dict(zip(found["columns"], row)) for row in found["rows"]]


def runs(path):
    """{(point, clients, repetition): {phase: result}} in the order of the journal."""
    found = {}
    for line in lines(path):
        if line["kind"] == "result":
            found.setdefault((line["point"], line["clients"], line["repetition"]), {})[line["phase"]] = line
    return found


def patterns_of(result, part):
    return [p for p in rows(result, "patterns") if p["partition"] == part["partition"]]


def type_value(result, part, number):
    type_row = [t for t in rows(result, "types") if (t["partition"], t["type"]) == (part["partition"], number)]
    own = [p for p in patterns_of(result, part) if p["type"] == number]
    if not type_row or not type_row[0]["complete"]:
        return math.nan
    if [p["pattern"] for p in own] != list(range(FIRST[number], FIRST[number + 1])):
        fail(f"type {number} has the patterns {[p['pattern'] for p in own]}")
    ns = type_row[0]["open_ns"] + type_row[0]["close_ns"] + sum(p["ns"] for p in own)
    return part["clients"] * sum(p["bytes"] for p in own) / (ns / 1e9) / 1e6


def access_value(phases, phase, part):
    values = [type_value(phases[phase], part, t) for t in range(5)]
    if phase == "rewrite" and part["release"] == "2.0" and not part["rewrite_all"]:
        return values[0]
    return (2 * values[0] + values[1] + values[2] + values[3] + values[4]) / 6


def weighted(result, part):
    own = [p for p in patterns_of(result, part) if p["units"] and p["complete"]]
    for p in patterns_of(result, part):
        if p["units"] != UNITS[p["pattern"]]:
            fail(f"pattern {p['pattern']} has {p['units']} units")
    mean = 0.0
    for p in own:
        mean += p["units"] * (part["clients"] * p["bytes"] / (p["ns"] / 1e9) / 1e6)
    return mean / sum(p["units"] for p in own) if own else math.nan


def same(what, stored, computed):
    if math.isnan(computed) and stored is None:
        return
    if stored != computed:
        fail(f"{what}: the journal says {stored!r}, its measurements give {computed!r}")


def check_schedule(part, p):
    t = part["seconds"]
    unit = t / 3 / 64
    if part["release"] == "2.0":
        whole = t / part["partitions"]
        whole = math.floor(whole + 1e-9) if whole >= 1 else whole
        unit = whole / (192 if part["rewrite_all"] else 150)
    if abs(p["scheduled_ns"] - unit * p["units"] * 1e9) > 1:
        fail(f"pattern {p['pattern']} is scheduled for {p['scheduled_ns']} ns")


def check_segment(write, part):
    calls = {p["pattern"]: p["calls"] for p in patterns_of(write, part)}
    chunk = [MB, part["mpart_bytes"], MB, 32 * KB, KB, 32 * KB + 8, KB + 8, MB + 8]
    in_call = {1: 1, 3: 1, 4: 32, 5: 1024, 6: 32, 7: 1024, 8: 1}
    want = [1]
    for p in range(1, 8):
        scatter = 1 if p == 1 else p + 1
        want.append(min(calls[scatter] * in_call[scatter], 10 * calls[9 + p], calls[17 + p]))
    total = sum(n * size for n, size in zip(want, chunk))
    segment = -(-total // MB) * MB
    for base in 25, 34:
        if [calls[base + p] for p in range(8)] != want:
            fail(f"patterns {base} on were repeated {[calls[base + p] for p in range(8)]}, not {want}")
        if calls[base + 8] != (segment > total):
            fail(f"pattern {base + 8} was called {calls[base + 8]} times")
    same("segment", part["segment_bytes"], segment)


def partition_values(phases, part):
    values = [access_value(phases, phase, part) for phase in PHASES]
    written = [type_value(phases["write"], part, t) for t in range(5)]
    again = type_value(phases["rewrite"], part, 0)
    paper = 0.25 * values[0] + 0.25 * values[1] + 0.5 * values[2]
    both = (written[0] + written[1] + written[2] + written[3] + written[4] + again) / 6
    for phase in PHASES:
        for p in patterns_of(phases[phase], part):
            check_schedule(part, p)
            if p["bytes"] != p["calls"] * p["call_bytes"]:
                fail(f"pattern {p['pattern']} moved {p['bytes']} bytes")
            first = [q for q in patterns_of(phases["write"], part) if q["pattern"] == p["pattern"]][0]
            if p["calls"] != first["calls"]:
                fail(f"{phase} repeats pattern {p['pattern']} {p['calls']} times, not {first['calls']}")
    check_segment(phases["write"], part)
    return values, paper, math.sqrt(both * values[2])


def headline(part, paper, program):
    """The value is by the rule of the release that was asked for."""
    return program if part["release"] == "2.0" else paper


def check_values(path):
    results, checked, headlines = runs(path), 0, []
    with open(os.path.join(os.path.dirname(path), "beff_io.sum"), encoding="utf-8") as file:
        summary = file.read()
    for phases in results.values():
        parts = rows(phases["read"], "partitions")
        found = [partition_values(phases, part) for part in parts]
        own = [headline(part, *values[1:]) for part, values in zip(parts, found)]
        for i, phase in enumerate(PHASES):
            # All numbers of a line are of one partition: the best by its value, before that by the access method.
            metrics = phases[phase]["metrics"]
            merit = own if phase == "read" else [values[i] for values, _, _ in found]
            best = merit.index(max(merit))
            values, paper, program = found[best]
            same("partition_clients", metrics["partition_clients"]["value"], parts[best]["clients"])
            same("wbw", metrics["wbw"]["value"], weighted(phases[phase], parts[best]))
            for k, name in enumerate(PHASES):
                if phase in (name, "read"):
                    same(f"{name} in {phase}", metrics[f"b_eff_io_{name}"]["value"], values[k])
        same("b_eff_io", metrics["b_eff_io"]["value"], own[best])
        same("b_eff_io_paper", metrics["b_eff_io_paper"]["value"], paper)
        same("b_eff_io_2_1", metrics["b_eff_io_2_1"]["value"], program)
        headlines += own
        checked += len(found)
    printed = re.findall(r"b_eff_io of this partition = (\S+) MB/s", summary)
    if printed != [f"{value:.3f}" for value in headlines]:
        fail(f"the summary has {printed} for {headlines}")
    system = float(re.search(r"^b_eff_io = +(\S+) MB/s", summary, re.M).group(1))
    if f"{system:.3f}" != f"{max(headlines):.3f}":
        fail(f"the system's value is {system}, the largest of {headlines}")
    print(f"{checked} partitions")


class Client:
    """What a client writes: numbers of its own, with a mark at both ends of each chunk."""

    def __init__(self, number, elements):
        self.base = array.array("d", (-1.0 - ((number << 33) + i) for i in range(elements)))

    def call(self, pattern, call, length, chunk, writer):
        data = self.base[: length // 8]
        step = chunk // 8
        for i in range(0, len(data), step):
            mark = 1e7 * call + 1000 * i + 10 * pattern + writer
            data[i] = mark + 1
            data[i + step - 1] = mark + 6
        return data.tobytes()


def places(p, part, client, start):
    """Offset and place in the call's memory of every chunk of every call."""
    n, chunk, length = part["clients"], p["chunk_bytes"], p["call_bytes"]
    for call in range(p["calls"]):
        if p["type"] in (0, 1):
            for j in range(length // chunk):
                yield call, start * n + ((call * (length // chunk) + j) * n + client) * chunk, j * chunk
        elif p["type"] == 2:
            yield call, start + call * chunk, 0
        else:
            yield call, client * part["segment_bytes"] + start + call * chunk, 0


def check_file(found, what, patterns, part, members, clients):
    covered = 0
    for client in members:
        start = 0
        for p in patterns:
            writer = 1 if part["rewrite_all"] or p["type"] == 0 else 0
            made, data = -1, b""
            for call, offset, place in places(p, part, client, start):
                if call != made:
                    made, data = call, clients[client].call(p["pattern"], call, p["call_bytes"], p["chunk_bytes"], writer)
                chunk = data[place : place + p["chunk_bytes"]]
                if found[offset : offset + len(chunk)] != chunk:
                    fail(f"{what}: pattern {p['pattern']}, call {call} of client {client} is not at {offset}")
                covered += len(chunk)
            start += p["bytes"]
    if covered != len(found):
        fail(f"{what}: {len(found)} bytes, of which {covered} belong to patterns")
    return covered


def contents(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def check_files(path):
    kept = [line for line in lines(path) if line["kind"] == "end"][0]["kept"]
    (_, phases), checked = list(runs(path).items())[-1], 0
    (directory,) = [d for d in kept if d.rstrip("/").endswith(f".{phases['write']['clients']}")]
    names = sorted(os.listdir(directory))
    parts = rows(phases["write"], "partitions")
    longest = max(p["call_bytes"] for p in rows(phases["write"], "patterns"))
    clients = [Client(i, longest // 8) for i in range(max(part["clients"] for part in parts))]
    for part in parts:
        for number in range(5):
            own = [p for p in patterns_of(phases["write"], part) if p["type"] == number]
            end = f".p{part['partition']}.n{part['clients']}.t{number}"
            for client in range(part["clients"]) if number == 2 else [None]:
                name = end if client is None else f"{end}.{client}"
                (file,) = [f for f in names if f.endswith(name)]
                names.remove(file)
                members = range(part["clients"]) if client is None else [client]
                checked += check_file(contents(directory + "/" + file), file, own, part, members, clients)
    if names:
        fail(f"{names} belong to no type")
    print(f"{len(parts)} partitions, {'some' if checked else 'no'} bytes")


def times(path):
    share, late = 0.0, 0.0
    for phases in runs(path).values():
        for phase, result in phases.items():
            for p in rows(result, "patterns"):
                share = max(share, p["decide_ns"] / p["ns"])
                if phase == "write" and p["units"] and p["type"] < 3:
                    late = max(late, p["loop_ns"] / p["scheduled_ns"] - 1)
    print(f"{100 * share:.3f} {100 * late:.1f}")


if __name__ == "__main__":
    {"values": check_values, "files": check_files, "times": times}[sys.argv[1]](sys.argv[2])
