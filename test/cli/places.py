#!/usr/bin/env python3
"""Checks what tile, noncontig and noncontig_array left with --keep_files against formulae of its own.

usage: places.py array JOURNAL                 the whole array, somewhere in the file; prints the number of points
       places.py tile JOURNAL                  file sizes and every byte; prints size and start of each tile
       places.py noncontig JOURNAL [--order]   whose element stands where; prints the number of points, or with
                                               --order one line per point: k + client * veclen for every element k

The scheme of the data comes from golden.py. Exits 1 with a sentence at the first difference.
"""
import itertools
import math
import sys

from golden import Data, below, fail, journal, join, read, size


class Kept:
    """One kept file with the parameters of its point."""

    def __init__(self, begin, result, kept):
        self.values = {name: p["value"] for name, p in begin["params"].items()}
        self.values.update(result["params"])
        self.clients, self.seed = result["clients"], int(begin["seed"], 16)
        index = result["point_index"]
        self.path = kept[f"data.{index}.{self.clients}"]
        self.found = read(self.path)
        file_id = join(index * 1048576 + self.clients, result["repetition"])
        self.data = Data(self.seed, join(file_id, 0), 0)

    def number(self, name):
        return size(self.values[name])

    def numbers(self, *names):
        return [self.number(name) for name in names]


def kept_points(path):
    begin, results, kept = journal(path)
    points = {}
    for result in results:
        if result["outcome"] not in ("pass", "suspect"):
            fail(f"{result['outcome']}: {result['point']}: {result['reason']}")
        points[result["point_index"], result["clients"]] = result
    return [Kept(begin, result, kept) for result in points.values()]


def squarest(cells, least_rows=1, least_columns=1):
    fits = [d for d in range(least_rows, math.isqrt(cells) + 1) if cells % d == 0 and cells // d >= least_columns]
    return fits[-1] if fits else 0


def check_tile(point):
    nx, ny = point.numbers("nr_tiles_x", "nr_tiles_y")
    sx, sy, ox, oy = point.numbers("sz_tile_x", "sz_tile_y", "overlap_x", "overlap_y")
    element, header = point.numbers("sz_element", "header_bytes")
    if not nx and not ny:
        ny = squarest(point.clients)
        nx = point.clients // ny
    width, height = nx * sx - (nx - 1) * ox, ny * sy - (ny - 1) * oy
    wanted = header + width * height * element
    if len(point.found) != wanted:
        fail(f"{point.path} has {len(point.found)} bytes, should have {wanted}")
    starts = []
    for ty, tx in itertools.product(range(ny), range(nx)):
        starts.append(header + (ty * (sy - oy) * width + tx * (sx - ox)) * element)
        for y in range(sy):
            at = starts[-1] + y * width * element
            if point.found[at : at + sx * element] != point.data.bytes(0, at, sx * element):
                fail(f"{point.path}: row {y} of tile ({tx}, {ty}), at {at}, holds other data")
    print(wanted, *starts)


def owners(point, length, parties):
    """The client of every place of a vector."""
    kind = point.values["type"]
    if kind == "vector":
        return [q % parties for q in range(length)]
    if kind == "indexed":
        blocks = length // 4 // parties * parties or parties
        step = length // blocks
        starts = [b * length // blocks + (below(join(point.seed, b), step) if b else 0) for b in range(blocks)]
        ends = starts[1:] + [length]
        return [b % parties for b in range(blocks) for _ in range(starts[b], ends[b])]
    grid_rows = squarest(parties)
    grid_columns = parties // grid_rows
    planes = 2 if kind == "nested" and length % 2 == 0 else 1
    rows = squarest(length // planes, grid_rows, grid_columns)
    columns = length // planes // rows
    if kind == "nested":
        return [y % grid_rows * grid_columns + x % grid_columns
                for _ in range(planes) for y in range(rows) for x in range(columns)]
    # A row or column belongs to the last client whose first one is not beyond it.
    row_of = [max(r for r in range(grid_rows) if rows * r // grid_rows <= y) for y in range(rows)]
    column_of = [max(c for c in range(grid_columns) if columns * c // grid_columns <= x) for x in range(columns)]
    return [row_of[y] * grid_columns + column_of[x] for y in range(rows) for x in range(columns)]


def expected(point, length, count):
    """Who stands where: (client, element of its memory) for every place of the file, None where nobody does."""
    parties = max(point.clients, 2)
    owner = owners(point, length, parties)
    places = [[q for q in range(length) if owner[q] == c] for c in range(point.clients)]
    streams = []
    for mine in places:
        if point.values["memory"] == "noncontiguous":
            streams.append([v * length + q for v in range(count) for q in mine])
        else:
            streams.append(list(range(count * parties * len(mine))))
    if point.values["file"] == "contiguous":
        return [(c, k) for c, stream in enumerate(streams) for k in stream]
    queues = [iter(stream) for stream in streams]
    vectors = count * (1 if point.values["memory"] == "noncontiguous" else parties)
    order = [(c, next(queues[c])) if c < point.clients else None for _ in range(vectors) for c in owner]
    while order[-1] is None:
        order.pop()
    return order


def check_noncontig(point, show):
    length, count, element = point.numbers("veclen", "veccount", "element_size")
    wanted = expected(point, length, count)
    if len(point.found) != len(wanted) * element:
        fail(f"{point.path} has {len(point.found)} bytes, should have {len(wanted) * element}")
    memory = {c: max(k for place in wanted if place and place[0] == c for k in [place[1]]) + 1
              for c in range(point.clients)}
    known = {point.data.bytes(c, k * element, element): (c, k) for c, n in memory.items() for k in range(n)}
    order = [known.get(point.found[at : at + element]) for at in range(0, len(point.found), element)]
    for at, (found, should) in enumerate(zip(order, wanted)):
        if should and found != should:
            fail(f"{point.path}: element {at} is {found}, should be {should} (client, element of its memory)")
    if show:
        print(*(place[1] + place[0] * length for place in order))


def check_array(point):
    rows, columns, element = point.numbers("veccount", "veclen", "element_size")
    wanted = point.data.bytes(0, 0, rows * columns * element)
    if wanted not in point.found:
        fail(f"{point.path} does not hold the array")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "array":
        points = kept_points(arguments[1])
        for point in points:
            check_array(point)
        print(len(points))
    elif len(arguments) == 2 and arguments[0] == "tile":
        for point in kept_points(arguments[1]):
            check_tile(point)
    elif len(arguments) >= 2 and arguments[0] == "noncontig" and arguments[2:] in ([], ["--order"]):
        points = kept_points(arguments[1])
        for point in points:
            check_noncontig(point, len(arguments) == 3)
        if len(arguments) == 2:
            print(len(points))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
