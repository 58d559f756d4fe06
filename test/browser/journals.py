#!/usr/bin/python3
"""Fixed journals for tests of reports: journals.py DIRECTORY [NAME...]; every run makes the same bytes.

Also usable as a module: write(directory, lines) puts sums on lines and writes journal.jsonl.
"""
import json
import os
import sys

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (11400714785074694791, 14029467366897019727, 1609587929392839161,
                      9650029242287828579, 2870177450012600261)


def rotate(x, n):
    return ((x << n) | (x >> (64 - n))) & MASK


def turn(a, word):
    return rotate((a + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    """XXH64 with seed 0, as the journal's sums need it."""
    n, at = len(data), 0
    word = lambda i: int.from_bytes(data[i:i + 8], "little")
    if n >= 32:
        v = [(P1 + P2) & MASK, P2, 0, (-P1) & MASK]
        while at + 32 <= n:
            for k in range(4):
                v[k] = turn(v[k], word(at + 8 * k))
            at += 32
        h = (rotate(v[0], 1) + rotate(v[1], 7) + rotate(v[2], 12) + rotate(v[3], 18)) & MASK
        for k in range(4):
            h = ((h ^ turn(0, v[k])) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + n) & MASK
    while at + 8 <= n:
        h = (rotate(h ^ turn(0, word(at)), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= n:
        h = (rotate(h ^ (int.from_bytes(data[at:at + 4], "little") * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    for shift, prime in ((33, P2), (29, P3)):
        h = ((h ^ (h >> shift)) * prime) & MASK
    return h ^ (h >> 32)


def write(directory, lines):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "journal.jsonl"), "wb") as file:
        for line in lines:
            body = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
            file.write(body + b',"sum":"%016x"}\n' % xxh64(body))


def begin(test, label="", params=None, **machine):
    return {"kind": "begin", "schema": "pario/1", "run": "0badcafe", "version": "0.1.0",
            "command": ["pario", "run", test, "--dir", "/scratch/anna/x"], "label": label, "test": test,
            "time": "2026-01-02T03:04:05Z",
            "params": {k: {"value": v, "origin": "command line"} for k, v in (params or {}).items()},
            "clients": [1], "environment": {"OMPI_MCA_x": "/scratch/anna"},
            "machine": {"host": "node17", "kernel": "Linux 6.1", "cpu": "Some processor", "cores": 16,
                        "memory_bytes": 68719476736,
                        "mpi": {"library": "Open MPI v4.1.4", "clients": 8, "nodes": 1},
                        "filesystem": {"type": "lustre", "device": "10.0.0.1@tcp:/scratch", "mount": "/scratch",
                                       "options": "rw,flock", "detail": "12 OSTs", "free_bytes": 1 << 45},
                        **machine}}


def result(test, phase, rate, point="", clients=1, repetition=0, outcome="pass", reason="", ops=False, metrics=None):
    number = outcome in ("pass", "suspect")
    p50 = 1e9 / max(rate or 1, 1) * 100
    return {"kind": "result", "test": test, "point": point, "point_index": 0, "clients": clients,
            "repetition": repetition, "phase": phase, "outcome": outcome, "reason": reason,
            "bytes": 0 if ops or not number else 1 << 30, "ops": 1000 if number else 0,
            "seconds": {"open": 0.1, "transfer": 1, "sync": 0.1, "close": 0,
                        "total": (1000 / rate if ops else 1024 / rate) if number else None},
            "rate_mib_s": None if ops or not number else rate, "rate_first_done_mib_s": None,
            "between_clients": {"min_s": 1, "mean_s": 1, "max_s": 1, "variance": 0},
            "latency_ns": {"count": 1000, "min": p50 / 3, "p50": p50, "p90": p50 * 1.6, "p99": p50 * 5,
                           "p999": p50 * 20, "max": p50 * 60},
            "cache": {"wanted": "cold", "method": "cachestat", "pages_total": 1, "pages_resident": 0, "reason": ""},
            "metrics": {k: {"value": v[0], "unit": v[1]} for k, v in (metrics or {}).items()}, "params": {}}


def end(outcome="pass", results=0):
    return {"kind": "end", "outcome": outcome, "exit_code": 0, "results": results, "seconds": 63.5, "kept": [],
            "removed": True}


def note(text, following="", level="warning"):
    return {"kind": "note", "level": level, "text": text, "next": following}


NOISE = (1.0, 1.04, 0.97, 1.02, 0.99)


def sweep(factor=1.0, test="transfer"):
    """Sizes by patterns by clients, written and read, one of them suspect and one failed."""
    lines = [begin(test, params={"transfer_size": "4k,64k,1m,16m", "api": "posix"})]
    for pattern, share in (("segmented", 1.0), ("strided", 0.55)):
        for i, size in enumerate(("4k", "64k", "1m", "16m")):
            for clients in (1, 2, 4, 8):
                for phase, top in (("write", 1400), ("read", 2200)):
                    rate = factor * top * share * (i + 1) / 4 * clients ** 0.7 / 4
                    odd = pattern == "strided" and size == "4k" and clients == 8
                    for repetition, noise in enumerate(NOISE):
                        outcome = "pass" if not odd else "suspect" if phase == "read" else "fail"
                        reason = {"pass": "", "suspect": "31 % of the file was still cached in /scratch/anna/x on node17",
                                  "fail": "pwrite failed on 3 of 8 clients"}[outcome]
                        lines.append(result(test, phase, rate * noise if outcome != "fail" else None,
                                            f"pattern={pattern} transfer_size={size}", clients, repetition, outcome,
                                            reason))
    return lines + [note("Strided writes are slower", "pario survey --focus shared,write"), end()]


def metadata():
    lines = [begin("metadata")]
    for i, phase in enumerate(("file_create", "file_stat", "file_read", "file_rename", "file_remove")):
        for repetition, noise in enumerate(NOISE):
            lines.append(result("metadata", phase, (18000, 96000, 52000, 15000, 21000)[i] * noise, clients=4,
                                repetition=repetition, ops=True, outcome="suspect" if i == 1 else "pass",
                                reason="names were cached" if i == 1 else ""))
    return lines + [end()]


def interactive():
    lines = [begin("interactive")]
    for i, phase in enumerate(("cp", "ls_l", "find", "tar_create")):
        for repetition, noise in enumerate(NOISE):
            cold = (0.9, 0.41, 0.25, 1.4)[i] * noise
            lines.append(result("interactive", phase, 10 / cold, clients=1, repetition=repetition, ops=True,
                                metrics={"cold_median_s": (cold, "s"), "warm_median_s": (cold / 8, "s")}))
    return lines + [end()]


def tile():
    lines = [begin("tile", params={"sz_tile_x": "1024", "sz_tile_y": "768", "overlap_x": "64", "overlap_y": "0"})]
    for phase, rate in (("write", 300), ("read", 700)):
        for repetition, noise in enumerate(NOISE):
            lines.append(result("tile", phase, rate * noise, clients=6, repetition=repetition,
                                metrics={"width": (1024 * 3 - 128, "elements"), "height": (1536, "elements")}))
    return lines + [end()]


def endless():
    """Names without an end, numbers at the edge of what a double holds."""
    name, wide = "x" * 5000, "W" * 300 + "\u202e\u2066" + "\u00e9" * 300
    lines = [begin("transfer", label=name, host=wide, cpu=name, params={"dir": "/" + name})]
    for i in range(6):
        for repetition in range(3):
            lines.append(result("transfer", ("write" + wide)[:200], 100.0 + i, f"way={'y' * 400}{i} transfer_size={4 << i}k", 2,
                                repetition, "suspect", name + str(i)))
    for test, value, unit in (("z" * 300, 1.5, name[:40]), ("huge", 1e300, "s"), ("tiny", -1e-300, "B/s"), ("none", None, "s")):
        for repetition in range(3):
            lines.append({**result(test, "odd", 100.0, "", 2, repetition, metrics={name[:60]: (value, unit)}),
                          "headline": name[:60], "better": "lower"})
    return lines + [note(name, wide), end("suspect")]


def secret():
    """Hosts, users and paths wherever they can stand."""
    lines = [begin("transfer", params={"dir": "/scratch/anna/my data/random", "output": "runs/boris-2"},
                   host="node17", filesystem={"type": "nfs4", "device": "filer3.lab.example:/export/anna", "mount": "/scratch",
                                              "options": "rw,addr=fe80::17,clientaddr=10.1.2.3,username=anna,upperdir=/u/anna/x,hard",
                                              "detail": "from filer3.lab.example", "free_bytes": 1})]
    for i, reason in enumerate((
            "the file /scratch/anna/my data/random/x is cached", "fsync failed on [/scratch/anna/y]: ENOSPC",
            "node17.lab.example was slow", "First seen by client 17 on n03.lab.example.", "anna's quota is used up, see boris-2",
            "no answer from 10.1.2.3 for the server as user anna", "path=/u/anna;rest")):
        lines.append(result("transfer", "write", 100.0 + i, f"pattern=random transfer_size={i + 1}k", 2, 0, "suspect", reason))
    return lines + [note("anna filled /scratch/anna on host n04", "ask anna"), end("suspect")]


def headline(name, better, factor=1.0, repetitions=5):
    """A test whose number is not bytes over time."""
    lines = [begin("beff")]
    for repetition, noise in enumerate(NOISE[:repetitions]):
        lines.append({**result("beff", "exchange", 77.0, clients=2, repetition=repetition,
                               metrics={name: (4000.0 * noise * factor, "MB/s")}), "headline": name, "better": better})
    return lines + [end()]


def survey():
    lines = sweep()
    lines[0]["test"] = "survey"
    random = {"pattern": ["random"], "direction": ["read"]}
    found = {
        "threshold": 1.25, "directions": ["write", "read"], "scatter": 0.1, "noise": 0.05, "dropped": 0, "absent": [],
        "axes": [{"name": "pattern", "kind": "choice", "labels": ["segmented", "random"], "values": [0, 0]},
                 {"name": "transfer_size", "kind": "size", "labels": ["4 KiB", "64 KiB"], "values": [4096, 65536]}],
        "law": [{"direction": d, "call_s": 1e-5, "byte_s": 1e-9} for d in ("write", "read")],
        "terms": [{"where": random, "part": "call", "sharing": False, "log_factor": 2.3}],
        "held": {"points": 4, "median": 0.1, "explained": 0.95, "within": 0.9},
        "statements": [
            {"name": "Random reads", "where": random, "terms": 1, "standing": "untried", "costs": 0.5, "points": 2, "remedy": "segmented",
             "factors": [[7.4, 6.9, 8.1], [2.2, 2.0, 2.4]], "remedy_axis": 0, "remedy_level": 0, "remedy_gain": 7.0},
            {"name": "Small transfers", "where": {}, "terms": 0, "standing": "law", "costs": 0.4, "points": 8, "remedy": "64 KiB at a time",
             "factors": [], "direction": "read", "call_s": 1e-5, "same_bytes": [10240, 9216, 11264],
             "remedy_axis": 1, "remedy_level": 1, "remedy_gain": 3.0}],
        "points": {"columns": ["point", "direction", "seconds", "times", "held"],
                   "rows": [[point, direction, 1e-5 * (1 + point) * (1 + direction), 1, 0] for point in range(4) for direction in range(2)]},
    }
    lines.append({**note("1 ? Random reads\n\nThese explain 95 % of the differences.\n", ""), "survey": found})
    return lines


HOSTILE = ("</script><script>alert(1)</script>", "<!--<script>", "a\u202eb\u2066c", "quote\"'&amp;", "\x1b[31mred",
           "=HYPERLINK(1)", "caf\\xe9")


def hostile():
    """Names that would act if they were not inert."""
    lines = [begin("transfer", label=HOSTILE[0] + HOSTILE[2], host=HOSTILE[1], cpu=HOSTILE[3])]
    for i, name in enumerate(HOSTILE):
        for repetition, noise in enumerate(NOISE):
            lines.append(result("transfer", "write", 100.0 * (i + 1) * noise, f"way={name.replace(' ', '')}", 2,
                                repetition, "suspect", name))
    lines.append(result(HOSTILE[0], HOSTILE[3], 5.0, "", 1, 0))
    for i, name in enumerate(HOSTILE[:6]):
        lines.append({**result("beff", HOSTILE[5 - i], 5.0, f"{name.replace(' ', '').replace('=', '')}={i}", 2, 0,
                               metrics={name: (3.5 + i, HOSTILE[5 - i])}), "headline": name, "better": "lower"})
    return lines + [note(HOSTILE[0], HOSTILE[1]), end("suspect")]


JOURNALS = {"sweep": sweep, "faster": lambda: sweep(1.3), "again": lambda: sweep(1.002), "metadata": metadata,
            "interactive": interactive, "tile": tile, "survey": survey, "hostile": hostile,
            "secret": secret, "endless": endless, "headline": lambda: headline("b_eff", "higher"), "headline_once": lambda: headline("b_eff", "higher", 1, 1),
            "cost": lambda: headline("cost", "lower"), "cost_more": lambda: headline("cost", "lower", 1.5),
            "few": lambda: [l for l in sweep() if l.get("repetition", 0) < 3],
            "other": lambda: [{**begin("transfer", params={"transfer_size": "4k", "api": "mpiio"})}] +
            [l for l in sweep() if l["kind"] == "result" and "=4k" in l["point"]] + [end()]}


def all_journals():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.dont_write_bytecode = True
    import tables
    return {**JOURNALS, **tables.JOURNALS}


PHASES = (("ior-easy-write", 20, "GiB/s"), ("mdtest-easy-write", 80, "kops/s"), ("ior-hard-write", 1, "GiB/s"),
          ("mdtest-hard-write", 15, "kops/s"), ("find", 600, "kops/s"), ("ior-easy-read", 25, "GiB/s"),
          ("mdtest-easy-stat", 200, "kops/s"), ("ior-hard-read", 6, "GiB/s"), ("mdtest-hard-stat", 90, "kops/s"),
          ("mdtest-easy-delete", 60, "kops/s"), ("mdtest-hard-read", 50, "kops/s"), ("mdtest-hard-delete", 20, "kops/s"))


def systems(count):
    """Journals of so many systems, each larger than the one before: nodes, clients, and the phases of io500."""
    seed = 1
    for i in range(count):
        nodes = 1 + i * 7 % 40
        lines = [begin("io500", f"{('lustre', 'beegfs', 'daos', 'nfs')[i % 4]} <b>{i}</b>", {"nodes": str(nodes)})]
        lines[0].update(run=f"{i:016x}", time=f"{2018 + i % 8}-03-03T00:00:00Z")
        for phase, middle, unit in PHASES:
            if i % 11 == 7 and phase == "find":
                continue
            odd = 0.0
            for _ in range(6):
                seed = (seed * 6364136223846793005 + 1442695040888963407) & MASK
                odd += (seed >> 33) / (1 << 31) - 0.5
            line = result("io500", phase, 100.0, "", nodes * 8, 0, "suspect" if i == 3 and phase == "ior-easy-read" else "pass",
                          "cached" if i == 3 and phase == "ior-easy-read" else "", True,
                          {"score": (middle * nodes / 8 * 10 ** (odd / 1.5), unit)})
            lines.append({**line, "headline": "score", "better": "higher"})
        yield lines + [end(results=len(lines) - 1)]


def main():
    everything = all_journals()
    for name in sys.argv[2:] or everything:
        write(os.path.join(sys.argv[1], name), everything[name]())


if __name__ == "__main__":
    main()
