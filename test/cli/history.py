#!/usr/bin/env python3
"""Makes a directory of journals as a nightly job would leave them, from the journal of one real run.

usage: history.py JOURNAL DIRECTORY RUNS [change=N:FACTOR] [kernel=N:TEXT] [noise=0.02] [points=8] [seed=1]

Run i is of day i. Every rate and time of the model is multiplied by noise; from run N on, rates are multiplied by FACTOR,
and the kernel is TEXT. The sums are right: the journals are as good as real ones.
"""
import ctypes
import ctypes.util
import datetime
import json
import os
import random
import sys

LIBRARY = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
LIBRARY.XXH64.restype = ctypes.c_uint64
LIBRARY.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


def sealed(line):
    line.pop("sum", None)
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)[:-1].encode()
    return text + b',"sum":"%016x"}\n' % LIBRARY.XXH64(text, len(text), 0)


def journal(model, number, wishes, chance):
    begin = json.loads(json.dumps(model[0]))
    begin["run"] = "%08x" % (number + 1)
    begin["time"] = (datetime.datetime(2020, 1, 1) + datetime.timedelta(days=number)).strftime("%Y-%m-%dT03:00:00Z")
    at, text = wishes["kernel"]
    if number >= at:
        begin["machine"]["kernel"] = text
    begin["params"]["transfer_size"] = {"value": ",".join("%dk" % 4 ** i for i in range(wishes["points"])), "origin": "command line"}
    result = next(line for line in model if line["kind"] == "result")
    end = model[-1]
    lines = [sealed(begin)]
    factor = wishes["change"][1] if number >= wishes["change"][0] else 1.0
    for point in range(wishes["points"]):
        level = 100.0 * (point + 1) * factor * chance.lognormvariate(0, wishes["noise"])
        for repetition in range(5):
            rate = level * chance.lognormvariate(0, wishes["noise"] / 2)
            result.update(point="transfer_size=%dk" % 4 ** point, point_index=point, repetition=repetition,
                          rate_mib_s=rate, outcome="pass", reason="", headline="")
            result["bytes"] = 1 << 30
            result["seconds"]["total"] = 1024 / rate
            lines.append(sealed(result))
    end["results"] = 5 * wishes["points"]
    lines.append(sealed(end))
    return b"".join(lines)


def main():
    source, directory, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    wishes = {"change": (1 << 60, 1.0), "kernel": (1 << 60, ""), "noise": 0.02, "points": 8, "seed": 1}
    for word in sys.argv[4:]:
        name, value = word.split("=", 1)
        if name == "change":
            at, factor = value.split(":")
            wishes[name] = (int(at), float(factor))
        elif name == "kernel":
            at, text = value.split(":", 1)
            wishes[name] = (int(at), text)
        else:
            wishes[name] = type(wishes[name])(value)
    chance = random.Random(wishes["seed"])
    with open(source, encoding="utf-8") as file:
        model = [json.loads(line) for line in file]
    for number in range(runs):
        place = os.path.join(directory, "%05d" % number)
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "journal.jsonl"), "wb") as file:
            file.write(journal(model, number, wishes, chance))


if __name__ == "__main__":
    main()
