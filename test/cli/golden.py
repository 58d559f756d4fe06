#!/usr/bin/env python3
"""Checks what `pario run transfer --keep_files` left on disk, byte by byte, against the documented formulae.

usage: golden.py JOURNAL [--results N]     every kept file against the journal's parameters
       golden.py --unique JOURNAL          the data do not compress and no 4 KiB block stands twice

Nothing of pario is called: the scheme of the data (src/engine/data.h) and the places (src/tests/transfer.c) are
written down here a second time. Prints the number of files checked; exits 1 with a sentence at the first difference.
"""
import functools
import json
import os
import sys
import zlib

MASK = (1 << 64) - 1
BLOCK = 4096
WORD = 8
UNITS = {"k": 10, "m": 20, "g": 30, "t": 40, "p": 50}


def mix(x):
    for _ in range(2):
        x ^= x >> 32
        x = x * 0xD6E8FEB86659FD93 & MASK
    return x ^ x >> 32


def join(a, b):
    return mix(mix((a + 0x9E3779B97F4A7C15) & MASK) ^ b)


def below(word, bound):
    return word * bound >> 64


def size(text):
    text = text.lower()
    return int(text[:-1]) << UNITS[text[-1]] if text[-1] in UNITS else int(text)


class Data:
    """The bytes that a client writes at an offset."""

    def __init__(self, seed, file_id, generation):
        words = (join(seed ^ 0x706F6F6C, i) for i in range(BLOCK // WORD))
        self.pool = int.from_bytes(b"".join(w.to_bytes(WORD, "little") for w in words), "little")
        self.salt = join(join(seed, file_id), generation)

    @functools.lru_cache(maxsize=16)
    def block(self, client, number):
        key = mix((client << 40 ^ number) ^ self.salt).to_bytes(WORD, "little") * (BLOCK // WORD)
        return (self.pool ^ int.from_bytes(key, "little")).to_bytes(BLOCK, "little")

    def bytes(self, client, offset, length):
        first, last = offset // BLOCK, (offset + length - 1) // BLOCK
        whole = b"".join(self.block(client, n) for n in range(first, last + 1))
        return whole[offset - first * BLOCK :][:length]


class Point:
    """One point of a sweep at one client count: its parameters and where its transfers lie."""

    def __init__(self, begin, result):
        self.values = {name: p["value"] for name, p in begin["params"].items()}
        self.values.update(result["params"])
        self.index, self.clients = result["point_index"], result["clients"]
        self.repetition, self.seed = result["repetition"], int(begin["seed"], 16)
        self.transfer, self.block = self.size("transfer_size"), self.size("block_size")
        self.segments, self.padding = self.size("segment_count"), self.size("stride_padding")
        self.own = self["layout"] == "per_client"
        self.sharers = 1 if self.own else self.clients
        self.unit = 4096 if self["direct"] in ("1", "yes", "true", "on") else 1
        self.pattern = self["pattern"]
        if self.pattern == "auto":
            self.pattern = "strided" if self.segments > 1 or self.padding else "segmented"
        self.drawn = self.pattern in ("random", "general")
        self.header = self.size("header_bytes") or self.drawn_header()
        self.segment = self.sharers * self.block
        self.stride = self.segment + self.padding
        self.file_size = self.header + (self.segments - 1) * self.stride + self.segment

    def __getitem__(self, name):
        return self.values[name]

    def __str__(self):
        names = "api pattern layout order header_bytes direct collective queue_depth".split()
        return " ".join(f"{n}={self[n]}" for n in names) + f" clients={self.clients}"

    def size(self, name):
        return size(self[name])

    def drawn_header(self):
        units = self.transfer // self.unit
        if self.pattern != "general":
            return 0
        if units < 2:
            return self.unit
        return self.unit * (1 + below(join(self.seed, 0x68656164), units - 1))

    def generation(self):
        """How often the data were written: rewriting needs data that were there before."""
        return 2 if "rewrite" in self["operations"] else 1

    def data(self):
        file_id = join(self.index * 1048576 + self.clients, self.repetition)
        return Data(self.seed, file_id, self.generation())

    def border(self, client, segment, g):
        """Border between drawn transfers g-1 and g of a segment, from the segment's start."""
        step = self.transfer // 2
        if g in (0, self.segment // step):
            return g * step
        word = join(join(join(self.seed, client if self.own else 0), segment), g)
        return g * step + below(word, step // self.unit) * self.unit

    def places(self, client):
        """Offset and length of every transfer of a client, in order of place."""
        base = 0 if self.own else client
        step = self.transfer // 2 if self.drawn else self.transfer
        per_block = self.block // step
        for i in range(self.segments):
            start = self.header + i * self.stride
            for j in range(per_block):
                if self.drawn:
                    low = self.border(client, i, base * per_block + j)
                    high = self.border(client, i, base * per_block + j + 1)
                    yield start + low, high - low
                else:
                    yield start + base * self.block + j * step, step


def fail(text):
    sys.exit(f"golden.py: {text}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def first_difference(found, wanted):
    return next(i for i, (a, b) in enumerate(zip(found, wanted)) if a != b)


def check_image(point, path, found, wanted):
    if found != wanted:
        at = first_difference(found, wanted)
        fail(f"{path}: byte {at} is {found[at]:#x}, should be {wanted[at]:#x} ({point})")


def image(point, clients):
    """What the file must hold: the data of these clients, and zeros in between."""
    wanted, data = bytearray(point.file_size), point.data()
    written = 0
    for client in clients:
        for offset, length in point.places(client):
            if not 0 < length <= point.transfer:
                fail(f"a transfer of {length} bytes ({point})")
            wanted[offset : offset + length] = data.bytes(client, offset, length)
            written += length
    if written != len(clients) * point.block * point.segments:
        fail(f"the transfers do not add up ({point})")
    return bytes(wanted)


def check_plain(point, path, clients):
    found = read(path)
    if len(found) != point.file_size:
        fail(f"{path} has {len(found)} bytes, should have {point.file_size} ({point})")
    check_image(point, path, found, image(point, clients))


def check_library(point, path, clients):
    """The array of an HDF5 or netCDF file: found by its first bytes, the rest must follow."""
    found, wanted = read(path), image(point, clients)
    base = found.find(wanted[point.header : point.header + 64]) - point.header
    if base < 0:
        fail(f"{path} does not hold the first 64 bytes of the data ({point})")
    if len(found) < base + len(wanted):
        fail(f"{path} ends within the data ({point})")
    check_image(point, path, found[base : base + len(wanted)], wanted)


def check_unordered(point, path, clients):
    """With a shared pointer whole transfers stand in any order, each exactly once."""
    found, data = read(path), point.data()
    capacity = (point.transfer + BLOCK - 1) // BLOCK * BLOCK
    count = point.block // point.transfer * point.segments
    wanted = {data.bytes(c, k * capacity, point.transfer): (c, k) for c in clients for k in range(count)}
    if len(found) != point.file_size:
        fail(f"{path} has {len(found)} bytes, should have {point.file_size} ({point})")
    for at in range(0, len(found), point.transfer):
        if wanted.pop(found[at : at + point.transfer], None) is None:
            fail(f"{path}: what stands at {at} is no transfer, or one that was there before ({point})")
    if wanted:
        fail(f"{path}: transfer {sorted(wanted.values())[0]} is missing ({point})")


def check_point(point, kept):
    name = f"data.{point.index}.{point.clients}"
    if point.own:
        files = {f"{name}.{c:08d}": [c] for c in range(point.clients)}
    else:
        files = {name: range(point.clients)}
    for name, clients in files.items():
        if name not in kept:
            fail(f"the end line does not list {name} under kept ({point})")
        path = kept.pop(name)
        if point["api"] in ("hdf5", "pnetcdf"):
            check_library(point, path, clients)
        elif point["api"] == "mpiio" and point["pointer"] == "shared":
            check_unordered(point, path, clients)
        else:
            check_plain(point, path, clients)
    return len(files)


def journal(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if lines[0]["kind"] != "begin" or lines[-1]["kind"] != "end":
        fail(f"{path} is not a whole journal")
    results = [line for line in lines if line["kind"] == "result"]
    # Names begin with the run's id: <id>.data.<point>.<clients>
    return lines[0], results, {os.path.basename(p).split(".", 1)[1]: p for p in lines[-1]["kept"]}


def check_journal(path, expected):
    begin, results, kept = journal(path)
    points = {}
    for result in results:
        if result["outcome"] not in ("pass", "suspect"):
            fail(f"{result['outcome']}: {result['point']}: {result['reason']}")
        points[result["point_index"], result["clients"]] = result
    files = sum(check_point(Point(begin, result), kept) for result in points.values())
    if kept:
        fail(f"{sorted(kept)[0]} belongs to no result")
    if expected is not None and len(points) != expected:
        fail(f"{len(points)} points were measured, should be {expected}")
    print(f"{files} files of {len(points)} points hold what they should")


def check_unique(path):
    kept = journal(path)[2]
    seen, all_bytes = set(), b"".join(read(p) for p in kept.values())
    ratio = len(zlib.compress(all_bytes, 9)) / len(all_bytes)
    for at in range(0, len(all_bytes), BLOCK):
        block = all_bytes[at : at + BLOCK]
        if block in seen:
            fail(f"the block at {at} stands there twice")
        seen.add(block)
    if ratio < 0.999:
        fail(f"{len(all_bytes)} bytes compress to {ratio:.4f} of their size")
    print(f"{len(seen)} blocks in {len(kept)} files, all different, compressed to {ratio:.4f}")


def main(arguments):
    if arguments[:1] == ["--unique"]:
        check_unique(arguments[1])
    elif len(arguments) == 3 and arguments[1] == "--results":
        check_journal(arguments[0], int(arguments[2]))
    elif len(arguments) == 1:
        check_journal(arguments[0], None)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
