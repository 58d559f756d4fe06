#!/usr/bin/env python3
"""Validates every line of pario journals against the schema.

usage: validate_journal.py SCHEMA JOURNAL...

Exits 1 with file, line number and message at the first line of each journal that is not valid.
Sums are not looked at: the reader of pario does that.
"""
import json
import sys

from jsonschema import Draft7Validator


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def no_duplicates(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice in one object")
    return members


def describe(error):
    where = "/".join(str(part) for part in error.absolute_path) or "the line"
    return f"{where}: {error.message[:400]}"


def complaint(validator, line):
    """What is wrong with a parsed line, or None."""
    errors = list(validator.iter_errors(line))
    if not errors:
        return None
    # A line has one kind: only that branch of the schema has something useful to say.
    branches = {}
    for part in errors[0].context or []:
        branches.setdefault(part.relative_schema_path[0], []).append(part)
    for parts in branches.values():
        if isinstance(line, dict) and "kind" in line:
            if not any(list(part.path) == ["kind"] for part in parts):
                return "; ".join(describe(part) for part in parts)
    if not isinstance(line, dict):
        return "the line is not an object"
    return f"kind: {line.get('kind')!r} is none of begin, result, note, end"


def check(validator, path):
    """The first complaint about a journal as "path:line: message", or None."""
    number = 0
    with open(path, "rb") as journal:
        for number, raw in enumerate(journal, 1):
            try:
                line = json.loads(
                    raw.decode("utf-8"),
                    parse_constant=no_constant,
                    object_pairs_hook=no_duplicates,
                )
                wrong = complaint(validator, line)
            except (ValueError, RecursionError) as error:
                wrong = f"not a JSON object: {error}"
            if wrong:
                return f"{path}:{number}: {wrong}"
    return None if number else f"{path}:1: the journal is empty"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    status = 0
    for path in arguments[1:]:
        wrong = check(validator, path)
        if wrong:
            print(wrong, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
