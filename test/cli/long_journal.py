#!/usr/bin/env python3
"""Makes a long journal out of a real one: its results again and again, each repetition with numbers of its own.

usage: long_journal.py JOURNAL DIRECTORY RESULTS [POINTS] [FACTOR]

The results are dealt out over POINTS points (1); rates are those of the model with noise of 5 %, times FACTOR (1). The
sums are right. 10^6 results are about 1 GB and take half a minute.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(__file__))
from history import LIBRARY, sealed  # noqa: E402


def template(line):
    """The text of a result around what differs: the point, its index, the repetition, the rate and the time."""
    line = dict(line, point="\0", point_index="\1", repetition="\2", rate_mib_s="\3", seconds=dict(line["seconds"], total="\4"))
    line.pop("sum", None)
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)[:-1]
    for i in range(1, 5):
        text = text.replace('"\\u%04x"' % i, "%%(v%d)s" % i)
    return text.replace("%", "%%").replace("%%(v", "%(v").replace("\\u0000", "%(v0)s").encode()


def main():
    source, directory, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    points = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    factor = float(sys.argv[5]) if len(sys.argv) > 5 else 1.0
    with open(source, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    models = [line for line in lines if line["kind"] == "result"]
    texts = [template(line) for line in models]
    chance = random.Random(count)
    os.makedirs(directory)
    with open(os.path.join(directory, "journal.jsonl"), "wb") as file:
        file.write(sealed(lines[0]))
        for i in range(count):
            model, turn = models[i % len(models)], i // len(models)
            noise = factor * chance.uniform(0.95, 1.05)
            text = texts[i % len(models)] % {
                b"v0": b"transfer_size=%d" % (4096 * (1 + turn % points)) if points > 1 else model["point"].encode(),
                b"v1": b"%d" % (turn % points), b"v2": b"%d" % (turn // points),
                b"v3": repr(model["rate_mib_s"] * noise).encode(), b"v4": repr(model["seconds"]["total"] / noise).encode()}
            file.write(text + b',"sum":"%016x"}\n' % LIBRARY.XXH64(text, len(text), 0))
        file.write(sealed(dict(lines[-1], results=count)))


if __name__ == "__main__":
    main()
