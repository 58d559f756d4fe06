#!/usr/bin/env python3
"""world.py FILE.csv|DIR... > src/rank/world_table.c: the quantiles that `pario rank` compares with.

A CSV file has a line per system: year, file_system, nodes, processes, invalid, then a column per phase named PHASE_GiB_s or
PHASE_kIOPS. A directory is searched for journals that `pario import` made of io500's results. Runs that are marked invalid and
lines that repeat another one are left out. Of every phase the figures are divided by client nodes and by processes, as far as
these were told; kinds of file systems with fewer than eight systems have no table of their own.
"""
import csv
import json
import math
import os
import re
import sys

QUANTILES = 21
LEAST = 8
KINDS = [
    ("Lustre", r"lustre|exascaler|es\d|\bai\d{3}"),
    ("GPFS", r"gpfs|spectrum|\bibm\b|\bess\b|storage scale"),
    ("DAOS", r"daos"),
    ("BeeGFS", r"beegfs"),
    ("CephFS", r"ceph"),
    ("WekaFS", r"weka"),
    ("VAST", r"\bvast"),
    ("GekkoFS", r"gekko"),
]
PHASES = [
    "ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write", "find", "ior-easy-read", "mdtest-easy-stat",
    "ior-hard-read", "mdtest-hard-stat", "mdtest-easy-delete", "mdtest-hard-read", "mdtest-hard-delete",
]


def kind_of(name):
    return next((kind for kind, words in KINDS if re.search(words, name.lower())), "")


def number(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return math.nan
    return value if value > 0 else math.nan


def of_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["invalid"] not in ("", "0"):
                continue
            phases = {re.sub(r"_(GiB_s|kIOPS)$", "", name): number(value) for name, value in row.items()}
            yield row["year"], row["file_system"], number(row["nodes"]), number(row["processes"]), phases


def of_journal(path):
    begin, phases, clients = {}, {}, math.nan
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = json.loads(line)
            if line["kind"] == "begin":
                begin = line
            elif line["kind"] == "result" and line["test"] == "io500" and line["phase"] == "score" and line["outcome"] != "pass":
                return None
            elif line["kind"] == "result" and line["test"] == "io500" and "score" in line["metrics"]:
                phases[line["phase"]] = line["metrics"]["score"]["value"]
                clients = number(line["clients"])
    told = {name: p["value"] for name, p in begin.get("params", {}).items()}
    return (begin["time"][:4], told.get("file_system", told.get("system", "")), number(told.get("nodes")), clients, phases) if phases else None


def systems(paths):
    seen = set()
    for path in paths:
        found = of_csv(path) if os.path.isfile(path) else (
            of_journal(os.path.join(top, "journal.jsonl")) for top, _, names in sorted(os.walk(path)) if "journal.jsonl" in names)
        for system in found:
            key = system and (system[2], system[3], tuple(sorted((k, v) for k, v in system[4].items() if k in PHASES)))
            if system and str(key) not in seen:
                seen.add(str(key))
                yield system


def quantile(values, share):
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return math.exp(math.log(values[low]) * (1 - place + low) + math.log(values[high]) * (place - low))


def main():
    found = list(systems(sys.argv[1:]))
    years = sorted(year for year, *_ in found)
    print("/*\n * world_table: made by tools/world.py from the figures of public io500 submissions.\n */")
    print('#include "rank/world.h"\n')
    print(f"const char pario_world_years[] = \"{years[0]} to {years[-1]}\";")
    print(f"const unsigned pario_world_systems = {len(found)};\n\n/* clang-format off */")
    print("const struct pario_world_row pario_world[] = {")
    for phase in PHASES:
        for per, divisor in (("node", 2), ("client", 3)):
            for kind in [""] + [name for name, _ in KINDS]:
                values = sorted(s[4].get(phase, math.nan) / s[divisor] for s in found if not kind or kind_of(s[1]) == kind)
                values = sorted(v for v in values if v == v)
                if len(values) < (1 if not kind else LEAST):
                    continue
                cells = ", ".join(f"{quantile(values, i / (QUANTILES - 1)):.4g}" for i in range(QUANTILES))
                print(f'\t{{ "{phase}", "{per}", "{kind}", {len(values)}, {{ {cells} }} }},')
    print("\t{ 0 },\n};\n\n/* clang-format on */")


main()
