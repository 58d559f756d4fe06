"""Are the calls of a replay those of the original? Both were traced; both traces are compared call by call.

replay_calls.py PROGRAM ORIGINAL REPLAY PLACE: only calls on files below PLACE count, which in the replay lie below
.../replay/PLACE, and calls between ranks. Compared are, for each file, what each thread did to it and in which order
(class, offset, size, whether it failed); and for each rank, in order, its collective calls and messages with the ranks
that take part, their amounts, roots, peers and tags. Prints how many calls and meetings were the same.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

# What is another name of the same; a stream is opened by two calls here.
SAME = {
    "openat": "open", "creat": "open", "fopen": "open", "mkdirat": "mkdir", "renameat": "rename", "linkat": "link",
    "symlinkat": "symlink", "unlinkat": "unlink", "rmdir": "unlink", "fstatat": "stat", "lstat": "stat", "statx": "stat",
    "readlinkat": "readlink", "fchmodat": "chmod", "faccessat": "access", "fclose": "close", "fopen64": "open",
    "printf": "fwrite", "fputs": "fwrite", "fputc": "fwrite", "fgets": "fread", "opendir": "open", "closedir": "close",
}
DROPPED = {"fdopen", "fdopendir", "fcntl", "fstat", "mmap", "munmap", "ioctl"}
MEETINGS = re.compile(r"MPI_I?((Barrier|Bcast|Reduce|Allreduce|Gather|Scatter|Allgather|Alltoall|Scan|Exscan|Send|Recv|Sendrecv)\w*)$", re.I)


def load(program, trace):
    with tempfile.TemporaryDirectory() as home:
        subprocess.run([program, "profile", trace, "--csv", home + "/calls", "--context", home + "/context"],
                       check=True, stdout=subprocess.DEVNULL, timeout=60)
        with open(home + "/calls", newline="", encoding="utf-8") as file:
            calls = [c for c in csv.DictReader(file) if c["depth"] == "0"]
        with open(home + "/context", encoding="utf-8") as file:
            context = json.load(file)
    calls.sort(key=lambda c: int(c["start_ns"]))
    return calls, context


def arguments(call):
    return dict(word.split("=", 1) for word in call["arguments"].split() if "=" in word)


def by_file(calls, place):
    """file -> the sequences of its threads, sorted: numbers of threads mean nothing."""
    below = re.compile(r"^(?:.*/replay)?" + re.escape(place) + "(/.*)$")
    files = collections.defaultdict(lambda: collections.defaultdict(list))
    # what a library does to a file of MPI-IO outside of the program's calls is its own affair
    by_library = {call["file"] for call in calls if call["layer"] == "mpi-io"}
    for call in calls:
        found = below.match(os.path.normpath(call["file"]))
        if not found or call["operation"] in DROPPED or (call["file"] in by_library and call["layer"] != "mpi-io"):
            continue
        what = SAME.get(call["operation"], call["operation"])
        # the text of a link is another one, as it must lead into the tree
        second = below.match(arguments(call).get("second", "")) if what != "symlink" else None
        # where a stream is, and how much of a directory or link fits, is the C library's
        sized = what not in ("readlink", "open", "close")
        files[found[1]][call["tid"]].append(
            (what, call["offset"] if sized else "", call["size"] if sized else "", second[1] if second else "", call["errno"] != ""))
    return {name: sorted(threads.values()) for name, threads in files.items()}


def members(context):
    """(rank, number of a communicator) -> its members."""
    rank_of = {p["process"]: p.get("rank") for p in context["processes"]}
    groups = {}
    for c in context["communicators"]:
        groups[rank_of[c["process"]], str(c["number"])] = tuple(first + i * step for first, step, count in c["members"] for i in range(count))
    return groups


def meetings(calls, context):
    groups, ranks = members(context), collections.defaultdict(list)
    for call in calls:
        found = MEETINGS.match(call["operation"])
        if not found:
            continue
        a, rank = arguments(call), int(call["rank"])
        ranks[rank].append((found[1].lower(), groups.get((rank, a.get("comm"))), call["size"], a.get("root"), a.get("peer"), a.get("tag")))
    return ranks


def first_difference(a, b):
    """Of two lists of lists: the first pair that differs, in words."""
    if a is None or b is None or len(a) != len(b):
        return "%s threads there, %s here" % (a and len(a), b and len(b))
    for x, y in zip(a, b):
        for i, (p, q) in enumerate(zip(x + [None], y + [None])):
            if p != q:
                return "call %d is %s there, %s here" % (i, p, q)
    return "nothing"


def contains(long, short):
    return any(long[i:i + len(short)] == short for i in range(len(long) - len(short) + 1))


def main():
    program, original, replay, place = sys.argv[1:]
    there, here = load(program, original), load(program, replay)
    files, again = by_file(there[0], place), by_file(here[0], place)
    for name in sorted(set(files) | set(again)):
        if files.get(name) != again.get(name):
            sys.exit("%s: %s" % (name, first_difference(files.get(name), again.get(name))))
    met, meet = meetings(*there), meetings(*here)
    for rank, list_ in met.items(): # pario's own meetings stand before and behind
        if not contains(meet[rank], list_):
            sys.exit("rank %d meets otherwise:\n%s\n%s" % (rank, list_[:20], meet[rank][:60]))
    print(sum(len(s) for f in files.values() for s in f), "calls on", len(files), "files,", sum(map(len, met.values())), "meetings")


main()
