#!/usr/bin/env python3
"""An independent reader of OpenMetrics text, as strict as its specification: families together, metadata before samples, units
in names, labels escaped, no label set twice, # EOF last. Prints how many samples there are.

usage: export.py FILE
"""
import re
import sys

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')


def labels_of(text):
    found, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, "bad labels: " + text
        assert match.group(1) not in found, "label twice: " + text
        found[match.group(1)] = match.group(2)
        at = match.end()
        if at < len(text):
            assert text[at] == ",", "bad labels: " + text
            at += 1
            assert at < len(text), "comma at the end: " + text
    return tuple(sorted(found.items()))


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        text = file.read()
    assert text.endswith("# EOF\n") and "\r" not in text
    families, current, seen, samples = {}, None, set(), 0
    for line in text.split("\n")[:-2]:
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            assert word in ("HELP", "TYPE", "UNIT"), line
            assert NAME.fullmatch(name), line
            if name != current:
                assert name not in families, "family in two parts: " + name
                families[name], current, samples_here = {}, name, 0
            assert samples_here == 0 and word not in families[name], line
            families[name][word] = rest
            if word == "UNIT":
                assert name.endswith("_" + rest), line
            continue
        match = re.fullmatch(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{(.*)\} (\S+)", line)
        assert match and match.group(1) == current, line
        assert families[current].get("TYPE") == "gauge" and families[current].get("HELP"), line
        float(match.group(3))
        key = (current, labels_of(match.group(2)))
        assert key not in seen, "twice: " + line
        seen.add(key)
        samples += 1
        samples_here += 1
    assert families
    print(samples)


main()
