#!/usr/bin/env python3
"""Turns a journal into a hostile one, with sums that are right.

usage: journal.py escapes|newer|huge|formulas DIRECTORY

escapes  every text that pario does not need to know the line holds terminal escapes
newer    the first line names a schema of the future
huge     every latency is 1.7e308
formulas labels, points, phases, reasons and names of metrics are formulas of a spreadsheet, with commas, quotes and escapes
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "browser"))
import journals  # noqa: E402

ESCAPE = "\x1b[31m\x07\x9b2J"
NEEDED = {"kind", "schema", "sum", "test", "outcome", "seed", "origin", "better", "point", "level", "wanted"}


def spoil(value, name=""):
    if isinstance(value, dict):
        return {k if name not in ("metrics",) else k: spoil(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [spoil(v, name) for v in value]
    return value + ESCAPE if isinstance(value, str) and name not in NEEDED else value


def escapes(line):
    if line["kind"] == "begin":  # the options stay what they were, or no run could go on from it
        return {**spoil(line), "params": line["params"]}
    return spoil(line)


def newer(line):
    return {**line, "schema": "pario/2"} if line["kind"] == "begin" else line


def huge(line):
    if line["kind"] == "result":
        line["latency_ns"] = {k: 1.7e308 for k in line["latency_ns"]}
    return line


def formulas(line):
    formula = '=HYPERLINK("x",1),2'
    if line["kind"] == "begin":
        line["label"] = formula
    if line["kind"] == "result":
        line.update(point="a=" + formula, phase="+" + formula, reason="@" + formula,
                    metrics={"a\x1b[31m,b": {"value": 1, "unit": "s"}, "\t=1": {"value": 2, "unit": ""}})
    return line


def main():
    change = {"escapes": escapes, "newer": newer, "huge": huge, "formulas": formulas}[sys.argv[1]]
    with open(os.path.join(sys.argv[2], "journal.jsonl"), encoding="utf-8") as file:
        lines = [change(json.loads(line)) for line in file]
    for line in lines:
        line.pop("sum", None)
    journals.write(sys.argv[2], lines)


main()
