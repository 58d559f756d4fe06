#!/usr/bin/env python3
"""darshan_log.py OUT [word...]: a small log of Darshan, made here from nothing, for tests.

Words: a version of the format (3.00, 3.10, 3.20, 3.21, 3.41), `big` for the other order of bytes, `bzip2` or `plain`, `streams`
for parts of several compressed streams, `partial=MODULE`, `strange=MODULE` for a version of its records that nobody knows, `threads`
for calls of DXT that have their thread, `small` for a program that writes in small pieces, `many=N` for N further files.

Four ranks; what the numbers of a record are is said by `value`: the n-th whole one is 1000 times the module's place + n, real ones
are n + 0.5. Times of the file /tmp/shared are as in TIMES.
"""
import bz2
import struct
import sys
import zlib

PLACES = {
    "3.00": ["POSIX", "MPI-IO", "H5F", "PNETCDF_FILE", "BG/Q"],
    "3.10": ["POSIX", "MPI-IO", "H5F", "PNETCDF_FILE", "BG/Q", "LUSTRE", "STDIO", "DXT_POSIX", "DXT_MPIIO"],
    "3.21": ["POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "BG/Q", "LUSTRE", "STDIO", "DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP"],
    "3.41": ["POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO", "DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI",
             "HEATMAP", "DFS", "DAOS"],
}
PLACES["3.20"] = PLACES["3.21"]
# Of each module and version: whole numbers, real ones, words before and behind that are no counters.
SHAPES = {
    ("POSIX", 1): (68, 15, 0, 0), ("POSIX", 3): (64, 17, 0, 0), ("POSIX", 4): (69, 17, 0, 0),
    ("MPI-IO", 1): (51, 15, 0, 0), ("MPI-IO", 2): (51, 15, 0, 0), ("MPI-IO", 3): (51, 17, 0, 0),
    ("STDIO", 1): (13, 15, 0, 0), ("STDIO", 2): (14, 15, 0, 0),
    ("H5F", 2): (1, 4, 0, 0), ("H5F", 3): (3, 5, 0, 0), ("H5D", 1): (94, 17, 0, 0), ("H5D", 2): (94, 17, 1, 0),
    ("PNETCDF_FILE", 2): (2, 4, 0, 0), ("PNETCDF_FILE", 3): (9, 8, 0, 0), ("PNETCDF_VAR", 1): (120, 17, 1, 0), ("BG/Q", 2): (11, 1, 0, 0),
    ("DFS", 1): (52, 15, 0, 4), ("DAOS", 1): (64, 15, 0, 6),
}
# What each version of the format came with.
VERSIONS = {
    "3.00": {"POSIX": 1, "MPI-IO": 1},
    "3.10": {"POSIX": 3, "MPI-IO": 2, "STDIO": 1, "H5F": 2, "PNETCDF_FILE": 2, "BG/Q": 2, "DXT_POSIX": 1, "DXT_MPIIO": 1},
    "3.20": {"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "H5F": 3, "H5D": 1, "LUSTRE": 1, "DXT_POSIX": 1, "DXT_MPIIO": 2},
    "3.21": {"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "H5F": 3, "H5D": 2, "LUSTRE": 1, "DXT_POSIX": 1, "DXT_MPIIO": 2, "HEATMAP": 1},
    "3.41": {"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "H5F": 3, "H5D": 2, "PNETCDF_FILE": 3, "PNETCDF_VAR": 1, "BG/Q": 2, "LUSTRE": 2,
             "DXT_POSIX": 1, "DXT_MPIIO": 2, "HEATMAP": 1, "DFS": 1, "DAOS": 1},
}
SHARED, OWN = 0x0123456789ABCDEF, 0xFEDCBA9876543210


class Log:
    def __init__(self, words):
        self.words = words
        self.version = next((w for w in words if w in PLACES), "3.41")
        self.order = ">" if "big" in words else "<"
        self.wide = self.version == "3.41"

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def pressed(self, data):
        press = {"bzip2": bz2.compress, "plain": lambda b: b}.get(next((w for w in self.words if w in ("bzip2", "plain")), ""), zlib.compress)
        if "streams" in self.words:
            return b"".join(press(data[i:i + 100]) for i in range(0, len(data), 100))
        return press(data)

    def fixed(self, module, version, place, identity, rank):
        whole, real, before, behind = SHAPES[(module, version)]
        data = self.pack("Qq", identity, rank) + self.pack(f"{before}Q", *[SHARED] * before)
        data += self.pack(f"{whole}q", *[1000 * place + i for i in range(whole)])
        return data + self.pack(f"{real}d", *[i + 0.5 for i in range(real)]) + b"\x77" * 8 * behind

    def dxt(self, identity, thread):
        segment = self.pack("QQdd", 4096, 512, 0.25, 0.5) + (self.pack("Q", 140737) if thread else b"")
        return self.pack("Qqq", identity, 2, 0) + b"node7".ljust(64, b"\0") + self.pack("qq", 2, 1) + 3 * segment

    def heatmap(self):
        return self.pack("Qqdqqq", OWN, 1, 0.1, 3, -1, -1) + self.pack("6q", 11, 12, 13, 21, 22, 23)

    def lustre(self, version):
        if version == 1:
            return self.pack("Qq7q", SHARED, -1, 248, 5, -1, 1 << 20, 2, 117, 118)
        data = self.pack("Qqqq", SHARED, -1, 2, 3)
        data += self.pack("7q", 1 << 20, 1, 0, 16, 0, 1 << 24, 5) + b"fast".ljust(16, b"\0")
        data += self.pack("7q", 1 << 22, 2, 2, 0, 1 << 24, -1, 0) + bytes(16)
        return data + self.pack("3q", 5, 7, 9)

    def small_writes(self):
        """POSIX, version 4: rank 1 writes 100000 pieces of 100 bytes, one behind the other, and opens the file 500 times."""
        whole, real = [0] * 69, [0.0] * 17
        for place, value in {0: 500, 4: 100000, 15: 10000000, 17: 9999999, 19: 99999, 21: 99999, 39: 100000}.items():
            whole[place] = value
        real[9], real[10] = 3.0, 0.5
        return self.pack("Qq69q17d", OWN, 1, *whole, *real)

    def records(self, module, version, place):
        if module.startswith("DXT_"):
            return self.dxt(SHARED, version > (2 if module == "DXT_MPIIO" else 1))
        if module == "HEATMAP":
            return self.heatmap()
        if module == "LUSTRE":
            return self.lustre(version)
        if "small" in self.words:
            return self.small_writes() if module == "POSIX" else b""
        data = self.fixed(module, version, place, SHARED, -1) + self.fixed(module, version, place, OWN, 1)
        many = next((int(w[5:]) for w in self.words if w.startswith("many=")), 0)
        if module == "POSIX":
            data += b"".join(self.fixed(module, version, place, i + 1, i % 4) for i in range(many))
        return data

    def named(self, identity, name):
        data = name.encode()
        return self.pack("Q", identity) + (self.pack("I", len(data)) + data if self.version == "3.00" else data + b"\0")

    def regions(self):
        times = (1700000000, 5, 1700000010, 6) if self.wide else (1700000000, 1700000010)
        job = self.pack(f"{3 + len(times)}q", 1000, *times, 4, 4711) + b"lib_ver=3.9.9\nh=x\n".ljust(1024, b"\0")
        job += b"/bin/program --file /tmp/shared\next4\t/\nlustre\t/scratch"
        many = next((int(w[5:]) for w in self.words if w.startswith("many=")), 0)
        names = self.named(SHARED, "/tmp/shared") + self.named(OWN, "/tmp/own") + b"".join(self.named(i + 1, f"/scratch/files/{i:060}") for i in range(many))
        yield "job", 0, job
        yield "names", 0, names
        for place, module in enumerate(PLACES[self.version], 1):
            version = VERSIONS[self.version].get(module)
            if module.startswith("DXT_") and "threads" in self.words:
                version += 1
            if f"strange={module}" in self.words:
                yield place, 99, b"nobody knows".ljust(64)
            elif version:
                yield place, version, self.records(module, version, place)

    def bytes(self):
        count, length = (64, 1328) if self.wide else (16, 360)
        places, versions, body, names = [(0, 0)] * count, [0] * count, b"", (0, 0)
        for what, version, data in self.regions():
            packed = self.pressed(data) if data else b""
            if what == "names":
                names = (length + len(body), len(packed))
            elif what != "job":
                places[what], versions[what] = (length + len(body), len(packed)), version
            body += packed
        partial = sum(1 << PLACES[self.version].index(w[8:]) + 1 for w in self.words if w.startswith("partial="))
        method = 1 if "bzip2" in self.words else 2 if "plain" in self.words else 0
        head = self.version.encode().ljust(8, b"\0") + self.pack("Q", 6567223) + bytes([method]) + bytes(3)
        head += self.pack("I", 0 if self.wide else partial) + (self.pack("Q", partial) if self.wide else b"")
        head += self.pack("QQ", *names) + b"".join(self.pack("QQ", *p) for p in places) + self.pack(f"{count}I", *versions)
        assert len(head) == length
        return head + body


with open(sys.argv[1], "wb") as file:
    file.write(Log(sys.argv[2:]).bytes())
