#!/usr/bin/env python3
"""Does the quick look of validate_journal.py at lines of journals say what jsonschema says?

usage: schema.py SCHEMA JOURNAL...

On a long line of each kind, as it is and with every member, at any depth, left out or replaced: by a few of the OTHERS, which take
turns. Prints on how many lines both agree, and how many of these are valid; exits 1 at the first on which they do not.
"""
import copy
import json
import os
import sys

from jsonschema import Draft7Validator

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from validate_journal import fits  # noqa: E402

OTHERS = (None, True, 1, -1, 0.5, 3.0, 2.0**64, "", "x", [], {}, {"x": 1})
FEW, MANY = 3, 100


def places(value):
    """The way to every member; arrays are alike after a few items."""
    keys = list(value) if isinstance(value, dict) else range(min(len(value), FEW)) if isinstance(value, list) else ()
    for key in keys:
        yield (key,)
        for inner in places(value[key]):
            yield (key, *inner)


def longer(value):
    """The same, with many more of what is in it."""
    if isinstance(value, list):
        return value * MANY
    if isinstance(value, dict):
        return {**value, **{f"{key}{i}": inner for i in range(MANY) for key, inner in value.items()}}
    return value


def spoiled(line):
    yield line
    for number, place in enumerate(places(line)):
        for other in (..., longer, *(OTHERS[(FEW * number + i) % len(OTHERS)] for i in range(FEW))):
            changed = copy.deepcopy(line)
            part = changed
            for key in place[:-1]:
                part = part[key]
            if other is ...:
                del part[place[-1]]
            else:
                part[place[-1]] = longer(part[place[-1]]) if other is longer else other
            if changed != line:
                yield changed


def main(path, *journals):
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    lines = {}
    for journal in journals:
        with open(journal, encoding="utf-8") as file:
            for text in sorted(file, key=len):
                line = json.loads(text)
                lines[line["kind"]] = line
    agreed = valid = 0
    for line in lines.values():
        for changed in spoiled(line):
            right = validator.is_valid(changed)
            if fits(changed, schema, schema) != right:
                sys.exit(f"schema.py: jsonschema says {right} of {json.dumps(changed)}")
            agreed += 1
            valid += right
    print(agreed, valid)


main(*sys.argv[1:])
