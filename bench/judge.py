#!/usr/bin/env python3
"""Judges what `pario profile` finds in traces, by a count of its own from every call.

    bench/judge.py PARIO TRACE...     (test/real/programs.py does the same for the table in docs/trace.md)

One row for each trace: the share of the run that I/O takes, the class of calls that takes most of it, each finding with the time at
stake, and beside them what this script counts from `pario profile --csv`: calls in the order of their times, thread or not,
which is another way than the profile's, that reads thread by thread in bounded memory. A habit that is counted here for 5 % of the I/O
time and more and has no finding is a miss.

Not counted here: what only the profile knows, that is which calls are the runtime's (so shares of MPI and Python programs
are a little larger here), and rules about ranks but the waits in collective messages.
"""
import collections, csv, json, subprocess, sys, tempfile

LARGE, PAGE = 1 << 20, 4096
KINDS = {"read": "read pread readv preadv preadv2 fread fgets fgetc getdelim underflow uflow scanf sendfile_in copy_file_range_in splice_in",
         "write": "write pwrite writev pwritev pwritev2 fwrite fputs fputc puts printf overflow sendfile copy_file_range splice dprintf",
         "sync": "fsync fdatasync sync syncfs fflush msync sync_file_range MPI_File_sync",
         "open": "open openat creat fopen freopen mkstemp MPI_File_open popen tmpfile fdopen",
         "close": "close fclose MPI_File_close", "stat": "stat lstat fstat fstatat statx access faccessat readlink readlinkat "
         "statfs fstatfs realpath getcwd euidaccess statvfs fstatvfs name_to_handle_at MPI_File_get_size",
         "make, rename, remove": "mkdir mkdirat rmdir unlink unlinkat remove rename renameat renameat2 link linkat symlink symlinkat chdir fchdir mkdtemp"}
CLASS = {op: kind for kind, ops in KINDS.items() for op in ops.split()}


def kind_of(op):
    if op in CLASS:
        return CLASS[op]
    if op.startswith("MPI_File_"):
        return next((k for k in ("read", "write") if k in op), "other")
    return "other"


def on_storage(call):
    name = call["file"]
    return (call["layer"] in ("posix", "stdio", "mpi-io", "hdf5", "pnetcdf", "async") and name.startswith("/")
            and not name.startswith(("/dev/", "/proc/", "/sys/", "/etc/ld.so", "/run/", "/memfd:", "/tmp/ompi.")))


def union(spans):
    total, end = 0, None
    for a, b in sorted(spans):
        if end is None or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def load(pario, trace, directory):
    run = [pario, "profile", trace, "--csv", directory + "/calls.csv", "--journal", directory + "/journal"]
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    calls = []
    for c in csv.DictReader(open(directory + "/calls.csv", errors="replace")):
        c["from"], c["ns"] = int(c["start_ns"]), int(c["duration_ns"])
        c["to"] = c["from"] + c["ns"]
        c["at"] = int(c["offset"]) if c["offset"] else None
        c["kind"] = kind_of(c["operation"])
        c["bytes"] = max(int(c["result"]), 0) if c["kind"] in ("read", "write") else 0
        if c["operation"] in ("fread", "fwrite"):
            c["bytes"] = min(c["bytes"] * int(c["size"]), int(c["size"]))
        calls.append(c)
    calls.sort(key=lambda c: c["from"])
    sheets = next(s["sheets"] for s in map(json.loads, open(directory + "/journal/journal.jsonl")) if "verdict" in s.get("sheets", {}))
    return calls, {name: [dict(zip(s["columns"], row)) for row in s["rows"]] for name, s in sheets.items()}


def by_file(calls):
    files = collections.defaultdict(list)
    for c in calls:
        files[c["pid"], c["file"]].append(c)
    return files.values()


def syncs(own):
    """Syncs of less than 1 MiB each that follow a write, of whatever file: the two rules about syncs together."""
    ns = 0
    for calls in by_file(own):
        since = 0
        for c in calls:
            if c["kind"] == "write":
                since += c["bytes"]
            elif c["operation"] in ("fsync", "fdatasync", "MPI_File_sync"):
                ns += c["ns"] if 0 < since < LARGE else 0
                since = 0
    return ns


def small(own):
    ns = 0
    for calls in by_file(own):
        last = {}
        for c in calls:
            if c["kind"] in ("read", "write") and c["layer"] == "posix" and c["bytes"] and c["at"] is not None:
                tiny = int(c["size"]) < PAGE
                before = last.get(c["kind"])
                ns += c["ns"] if tiny and before == (True, c["at"]) else 0
                last[c["kind"]] = (tiny, c["at"] + c["bytes"])
    return ns


def backward(own):
    ns = 0
    for calls in by_file(own):
        last = None
        for c in calls:
            if c["kind"] == "read" and c["bytes"] and c["at"] is not None:
                ns += c["ns"] if c["at"] + c["bytes"] == last else 0
                last = c["at"]
    return ns


def again(own):
    """Whole reads of what the process has read, as long as nobody writes to the file."""
    ns, seen = 0, collections.defaultdict(dict)
    for c in own:
        if c["kind"] == "write":
            seen.pop(c["file"], None)
        elif c["kind"] == "read" and c["bytes"] and c["at"] is not None:
            pages = range(c["at"] // PAGE, (c["at"] + c["bytes"] - 1) // PAGE + 1)
            have = seen[c["file"]].setdefault(c["pid"], set())
            ns += c["ns"] if len(pages) > 1 and all(p in have for p in pages) else 0
            have.update(pages)
    return ns


def waits(calls, own):
    """Of barriers of all ranks, what the rank that came last to the n-th of them did on storage while another waited."""
    met, ns = collections.defaultdict(lambda: collections.defaultdict(list)), 0
    for c in calls:
        if c["operation"] == "MPI_Barrier" and c["rank"] and c["depth"] == "0":
            met[c["arguments"]][c["rank"]].append(c)
    ranks = {c["rank"] for c in calls if c["operation"] in ("MPI_Init", "MPI_Init_thread")}
    spans = {rank: [(c["from"], c["to"]) for c in own if c["rank"] == rank] for rank in ranks}
    for by_rank in met.values():
        for meeting in zip(*by_rank.values()) if set(by_rank) == ranks else ():
            last = max(meeting, key=lambda c: c["from"])
            for c in meeting:
                if last["from"] - c["from"] >= 20000:
                    ns += union([(max(a, c["from"]), min(b, last["from"])) for a, b in spans[last["rank"]]
                                 if b > c["from"] and a < last["from"]])
    return ns


COUNTS = {("sync_each", "sync_often"): syncs, ("small_requests",): small, ("read_backward",): backward, ("read_again",): again}


def judge(pario, trace):
    with tempfile.TemporaryDirectory() as directory:
        calls, sheets = load(pario, trace, directory)
    own = [c for c in calls if c["depth"] == "0" and on_storage(c)]
    ns = sum(c["ns"] for c in own)
    kinds = collections.Counter()
    for c in own:
        kinds[c["kind"]] += c["ns"]
    verdict, found = sheets["verdict"][0], collections.Counter()
    for row in sheets.get("findings", []):
        found[row["rule"]] += row["seconds"]
    ranks = sorted({c["rank"] for c in own if c["rank"]})
    groups = [[c for c in own if c["rank"] == r] for r in ranks] or [own]
    share = max(union([(c["from"], c["to"]) for c in g]) for g in groups) / 1e9 / verdict["run_s"]
    words = ["I/O %.1f %% (counted %.1f %%)" % (100 * verdict["share"], 100 * share),
             "most is %s (counted %s)" % (verdict["class"], kinds.most_common(1)[0][0] if kinds else "nothing")]
    counts = [(rules, count(own)) for rules, count in COUNTS.items()] + [(("barrier_waits",), waits(calls, own))]
    for rules, counted in counts:
        said = sum(found.pop(rule, 0) for rule in rules)
        if said or counted >= 0.05 * ns > 0:
            words.append("%s: %s (counted %.3g s)" % ("/".join(rules), "%.3g s" % said if said else "silent", counted / 1e9))
    words += ["%s: %.3g s (not counted)" % item for item in found.items()]
    return "; ".join(words)


if __name__ == "__main__":
    for path in sys.argv[2:]:
        print(path.rsplit("/", 1)[-1].removesuffix(".trace"), "|", judge(sys.argv[1], path), flush=True)
