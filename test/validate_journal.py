#!/usr/bin/env python3
"""Validates every line of pario journals against the schema.

usage: validate_journal.py SCHEMA JOURNAL...

Exits 1 with file, line number and message at the first line of each journal that is not valid.
Sums are not looked at: the reader of pario does that.

Lines are looked at by fits(), which knows the words that the schema uses and no others. The package jsonschema takes ten times
as long to be loaded alone; it is asked where a line does not fit, and says why.
"""
import json
import re
import sys

TYPES = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: TYPES["number"](value) and float(value).is_integer(),
}

# What a word asks of a value. Words about strings, say, ask nothing of numbers.
NUMBERS = {
    "minimum": lambda value, bound: value >= bound,
    "maximum": lambda value, bound: value <= bound,
    "exclusiveMinimum": lambda value, bound: value > bound,
}
STRINGS = {
    "minLength": lambda value, bound: len(value) >= bound,
    "pattern": lambda value, pattern: re.search(pattern, value) is not None,
}
ARRAYS = {
    "minItems": lambda value, bound: len(value) >= bound,
    "maxItems": lambda value, bound: len(value) <= bound,
    "items": lambda value, schema, root: all(fits(item, schema, root) for item in value),
}
OBJECTS = {
    "required": lambda value, names: all(name in value for name in names),
    "maxProperties": lambda value, bound: len(value) <= bound,
    "properties": lambda value, schemas, root: all(fits(value[n], schemas[n], root) for n in schemas if n in value),
}
SILENT = ("$schema", "title", "description", "definitions")


def fits_word(value, word, wanted, schema, root):
    if word == "type":
        return any(TYPES[name](value) for name in ([wanted] if isinstance(wanted, str) else wanted))
    if word in ("const", "enum"):
        return value in ([wanted] if word == "const" else wanted)
    if word == "oneOf":
        return sum(fits(value, one, root) for one in wanted) == 1
    if word == "additionalProperties":
        return not isinstance(value, dict) or all(
            fits(value[name], wanted, root) for name in value if name not in schema.get("properties", ()))
    for kind, words in (("number", NUMBERS), ("string", STRINGS), ("array", ARRAYS), ("object", OBJECTS)):
        if word in words:
            more = [root] if word in ("items", "properties") else []
            return not TYPES[kind](value) or words[word](value, wanted, *more)
    sys.exit(f"validate_journal.py: the schema says {word}, which is not known here")


def fits(value, schema, root):
    """Is the value valid by the schema, a part of root?"""
    if isinstance(schema, bool):
        return schema
    if "$ref" in schema: # what stands beside it has no meaning
        return fits(value, root["definitions"][schema["$ref"].rpartition("/")[2]], root)
    return all(fits_word(value, word, schema[word], schema, root) for word in schema if word not in SILENT)


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


def complaint(schema, line):
    """What is wrong with a parsed line, or None."""
    if fits(line, schema, schema):
        return None
    from jsonschema import Draft7Validator

    errors = list(Draft7Validator(schema).iter_errors(line))
    if not errors:
        return "jsonschema finds nothing wrong here: fits() is wrong"
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


def check(schema, path):
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
                wrong = complaint(schema, line)
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
    status = 0
    for path in arguments[1:]:
        wrong = check(schema, path)
        if wrong:
            print(wrong, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
