"""Journals of tests whose results carry sheets, made from formulas, so that a test can work the numbers out by itself."""
import journals

NOISE = (1.0, 1.004, 0.997)


def sheet(columns, rows):
    columns = columns.split()
    assert all(len(row) == len(columns) for row in rows)
    return {"columns": columns, "rows": rows}


def with_sheets(line, **sheets):
    return {**line, "sheets": {name: sheet(*content) for name, content in sheets.items()}}


BEFF_LENGTHS = [1 << i for i in range(13)] + [round(4096 * 256 ** (i / 8)) for i in range(1, 9)]
BEFF_SHARES = [("ring", 1.0)] * 6 + [("random", 0.5)] * 2 + [("extra", 0.8)]


def beff_bandwidth(clients, share, length):
    return clients * 1e9 * share * length / (length + 4096)


def beff(clients=4, outcome="pass", bent=False):
    """Rings reach 1 GB/s per process, half of it with 4 KiB; random patterns half of that."""
    names = [f"ring-{i + 1}" for i in range(6)] + ["random-1", "random-2", "ping-pong"]
    patterns = [[p, names[p], group, clients, clients * 2, ""] for p, (group, _) in enumerate(BEFF_SHARES)]
    rows = [[0, i, p, m, 10, 1e6, 1e6, 1e6, beff_bandwidth(clients, share, length) / (1 + m / 10), ""]
            for i, length in enumerate(BEFF_LENGTHS) for p, (_, share) in enumerate(BEFF_SHARES) for m in range(3)]
    if bent:
        rows[7][2] = 1000
    head = [["release", "paper"], ["mark", "(short)"], ["complete", 1], ["repetitions", 1], ["order_seed", 1],
            ["memory_bytes", 1 << 27], ["rmax", 0], ["elapsed_s", 100], ["placement", "4 processes on 1 node"]]
    line = journals.result("beff", "exchange", 1000, clients=clients, outcome=outcome,
                           reason="others used the machine" if outcome == "suspect" else "")
    return [journals.begin("beff"), with_sheets(
        line, head=("item value", head), patterns=("pattern name group processes messages order", patterns),
        lengths=("length bytes", [[i, n] for i, n in enumerate(BEFF_LENGTHS)]),
        measurements=("repetition length pattern method loop min_ns mean_ns max_ns bandwidth mark", rows)),
        journals.end()]


# chunk of the seven rows, and the row of each pattern of a type (0 = none)
IO_CHUNKS = (1024, 1032, 32768, 32776, 1 << 20, (1 << 20) + 8, 2 << 20)
IO_TYPES = ((0, 7, 0, 5, 3, 1, 4, 2, 6), (0, 7, 5, 3, 1, 4, 2, 6), (0, 7, 5, 3, 1, 4, 2, 6),
            (0, 7, 5, 3, 1, 4, 2, 6, 0), (0, 7, 5, 3, 1, 4, 2, 6, 0))


def beff_io(partitions=(2, 3, 4)):
    """Larger chunks are faster, chunks that are not well-formed are slower; one pattern failed, which leaves its partition
    no value, and reading is suspect."""
    lines = [journals.begin("beff_io")]
    for phase, top in (("write", 100.0), ("rewrite", 150.0), ("read", 400.0)):
        patterns, types = [], []
        for part, clients in enumerate(partitions):
            number = 0
            for kind, rows in enumerate(IO_TYPES):
                types.append([part, clients, kind, "", 1000000, 1000000, 1])
                for row in rows:
                    chunk = IO_CHUNKS[row - 1] if row else 1 << 20
                    rate = top * (kind + 1) / 5 * (chunk / (chunk + 65536.0)) * (0.3 if chunk % 1024 else 1) * 1e6
                    moved = 8 << 20
                    ns = int(moved / rate * 1e9)
                    errors = 3 if phase == "write" and part == 0 and number == 12 else 0
                    patterns.append([part, clients, kind, number, 1, ns, chunk, chunk, 8, moved, ns, ns, 0, 0, 0, ns, 0,
                                     0, 0, errors, 1])
                    number += 1
        line = journals.result("beff_io", phase, top, clients=max(partitions),
                               outcome="suspect" if phase == "read" else "pass",
                               reason="most of the data was still cached" if phase == "read" else "")
        lines.append(with_sheets(
            line,
            patterns=("partition clients type pattern units scheduled_ns chunk_bytes call_bytes calls bytes ns io_ns "
                      "barrier_ns bcast_ns sync_ns loop_ns decide_ns last_call_ns last_decide_ns errors complete",
                      patterns),
            types=("partition clients type name open_ns close_ns complete", types),
            partitions=("partition clients nodes node_bytes memory_bytes mpart_bytes seconds partitions release "
                        "rewrite_all shared_pointers durable short segment_bytes complete",
                        [[part, clients, 1, 1 << 28, 1 << 28, 2 << 20, 900 * len(partitions), len(partitions), "paper", 1, 1,
                          0, 0, 7340032, 1] for part, clients in enumerate(partitions)])))
    return lines + [journals.end("suspect")]


def nht1(outcome="suspect", size=1 << 30):
    """Six vectors of 2 s; the fourth waits for the transfer of the third, which took long."""
    rows, free, last = [], 0.0, 0.0
    for i in range(6):
        computed = free + 2.0
        put = computed + (1.5 if i == 3 else 0.0)
        done = max(put, last) + (5.0 if i == 2 else 0.8)
        rows.append([i + 1, 5 * (i + 1), computed, put, done])
        free, last = put, done
    metrics = {"T_C": (12.0, "s"), "T_T": (last, "s"), "zeta": (last / 12 - 1, ""), "R_IO": (5e6, "B/s"),
               "waited_s": (1.5, "s"), "conforms": (0, "")}
    line = journals.result("nht1_application", "application", 3.2, clients=4, outcome=outcome, metrics=metrics,
                           reason="others used the machine" if outcome == "suspect" else "")
    line["bytes"] = size
    return [journals.begin("nht1_application"), journals.result("nht1_application", "compute", 5, clients=4, ops=True),
            with_sheets(line, timeline=("vector step computed_s put_s done_s", rows)), journals.end()]


def overlap():
    """An operation takes a fixed time and one per byte; a call and a sector have their CPU time."""
    lines = [journals.begin("overlap")]
    for routine, fix, call, outcome in (("pread", 20e3, 8e3, "pass"), ("uring", 12e3, 3e3, "suspect")):
        passes = []
        for size in (4096, 8192, 16384, 36864, 73728, 147456):
            sectors = size / 4096
            for part in ("wait", "full", "half"):
                for noise in NOISE:
                    elapsed = 1000 * (fix + 0.5 * size) * noise
                    busy = elapsed - 1000 * (call + 400 * sectors) * (2 - noise)
                    passes.append([size, 1, part, 1000, elapsed, 0 if part == "wait" else busy / 100, 100, 0.001,
                                   elapsed, elapsed, 0])
        line = journals.result("overlap", "read", 300, f"routine={routine}", outcome=outcome,
                               reason="others used the machine" if outcome == "suspect" else "")
        lines.append(with_sheets(
            line, case=("routine means phase direct order compute channels clients sector blocking clock_ns rpm",
                        [[routine, "calls", "read", 0, "sequential", "scalar", 1, 1, 4096, 0, 30, 0]]),
            passes=("size channels part calls elapsed_ns loops loop_ns loop_error_ns thread_ns process_ns queue_ns",
                    passes)))
    return lines + [journals.end("suspect")]


def madbench2():
    lines = [journals.begin("madbench2")]
    for phase, times in (("S", {"bw": 3.0, "w": 4.0}), ("W", {"bw": 6.0, "r": 2.0, "w": 3.5}), ("C", {"bw": 1.0, "r": 1.8})):
        rows = [[f"{phase}_{kind}", mean, mean * 0.9, mean * 1.2] for kind, mean in times.items()]
        line = journals.result("madbench2", phase, 200, clients=4, outcome="suspect" if phase == "C" else "pass",
                               reason="much was still cached" if phase == "C" else "")
        lines.append(with_sheets(line, times=("line mean_s min_s max_s",
                                              rows + [[f"{phase}_total", sum(times.values()), 1, 9]])))
    return lines + [journals.end("suspect")]


def trace(outcome="pass", hostile=()):
    """Four ranks write in turns, meet, and read; rank 3 does twice the work, and its node's clock was ahead."""
    timeline, processes = [], []
    for rank in range(4):
        name, slow = f"rank {rank}", 2 if rank == 3 else 1
        for step in range(40):
            at = step * 0.1
            if step < 16:
                timeline.append(["program", name, "write", at, at + 0.1, 10 * slow, 655360 * slow, 0.04 * slow, 1])
                timeline.append(["posix", name, "write", at, at + 0.1, 20 * slow, 655360 * slow, 0.03 * slow, 1])
            elif step < 20:
                timeline.append(["program", name, "communication", at, at + 0.1, 1, 0, 0.1 if slow == 1 else 0.01, 1])
            elif step % 4 == rank % 4:
                timeline.append(["program", name, "read", at, at + 0.1, 50, 204800, 0.07, 1])
            if step % 10 == 0:
                timeline.append(["program", name, "other", at, at + 0.1, 2, 0, 0.0125, 1])
        processes.append([rank, 4000 + rank, f"node{rank // 2}", 300, 1 << 20, slow << 23, 0.35, 0.64 * slow, 0.05,
                          0.4 if slow == 1 else 0.04])
    timeline.sort(key=lambda row: (row[0] != "program", row[0], row[1], row[2], row[3]))
    names = list(hostile) or ["/scratch/anna/out.dat"]
    sites = [["MPI_File_write_at_all", "mpi-io", "solver::dump(int, double*)", "/site/src/solver.cc", 118, "/site/app",
              6699, 640, 0, 41943040, 3.2, 0.04],
             ["pread", "posix", "", "", None, "/usr/lib/libother.so.1", 4660, 2000, 3, 8192000, 2.8, 0.002]]
    sites += [["open", "posix", name, name, 7, name, 1, 1, 0, 0, 0.001, 0.001] for name in hostile]
    line = journals.result("trace", "program", 90, clients=4, outcome=outcome, metrics={
        "imbalance": (1.54, "ratio"), "sites_left_out": (12, "rows")},
        reason="the trace is not complete" if outcome == "suspect" else "")
    line = with_sheets(
        line, timeline=("level row what from_s to_s calls bytes busy_s processes", timeline),
        sizes=("by what up_to_bytes calls bytes seconds",
               [["program", "write", 65536, 640, 41943040, 3.2], ["program", "read", 4096, 2000, 8192000, 2.8],
                ["program", "read", 0, 4, 0, 0.1], ["within other calls", "write", 32768, 1280, 41943040, 2.9]]),
        seeks=("what from_bytes calls", [["write", 0, 600], ["write", 65536, 40], ["read", -1048576, 900], ["read", 4096, 1100]]),
        sites=("operation layer function file line module offset calls failed bytes seconds max_s", sites),
        stacks=("operation frames calls bytes seconds",
                [["pwrite", "dump:118 \u2190 step:40 \u2190 main:12", 640, 41943040, 3.2]]),
        files=("file reads read_bytes read_s writes written_bytes write_s others other_s",
               [[name, 2000, 8192000, 2.8, 640, 41943040, 3.2, 8, 0.2] for name in names]),
        processes=("rank pid host calls read_bytes written_bytes read_s write_s other_s communication_s", processes),
        clocks=("host processes ahead_s drift_ppm drift_error_ppm error_s meetings applied",
                [["node0", 2, None, None, None, None, 0, 0], ["node1", 2, 0.0037, 50.1, 0.4, 0.000012, 200, 1]]))
    classes = []
    for i, (phase, layer, size, pattern, nested, seconds) in enumerate((
            ("MPI_File_write_at_all", "mpi-io", "64k", "strided", 0, 3.2), ("pwrite", "posix", "64k", "sequential", 1, 2.9),
            ("pread", "posix", "4k", "random", 0, 2.8), ("open", "posix", "-", "-", 0, 0.1))):
        one = journals.result("profile", phase, 100, f"layer={layer} up_to={size} pattern={pattern} "
                              f"cache={'-' if size == '-' else 'cached'} nested={nested}", 4, outcome=outcome,
                              reason=line["reason"])
        one["seconds"]["total"] = seconds
        classes.append({**one, "point_index": i + 1})
    return [journals.begin("profile"), line, *classes, journals.end(outcome)]


def bent():
    """Sheets that make no sense: the report stands, without the pictures that would come of them."""
    odd = journals.result("overlap", "read", 100, "routine=pread")
    return beff(bent=True)[:-1] + [
        with_sheets(journals.result("beff", "exchange", 10, clients=1), head=("item value", [])),
        with_sheets(journals.result("beff_io", "write", 10), patterns=("partition pattern", [[77, 99], [0, -1], ["x", "y"]]),
                    partitions=("partition mpart_bytes", [[0, 3], [1, None]])),
        with_sheets(journals.result("nht1_application", "application", 10),
                    timeline=("vector computed_s", [[1, None], [2, "late"]])),
        {**odd, "sheets": {"case": 7, "passes": []}},
        with_sheets(odd, case=("routine", [["pread"]]), passes=("size", [[0], [-4096], [None]])),
        with_sheets(journals.result("madbench2", "S", 10), times=("line mean_s min_s max_s", [["S", 1, 1, 1], [7, None, 1, 1]])),
        with_sheets(journals.result("trace", "program", 10),
                    timeline=("level row what from_s to_s busy_s", [["program", 7, "read", 1, 0, 3], [None, "x", "y", None, 2, 1]]),
                    sizes=("by what up_to_bytes calls", [["program", "read", None, 1], ["program", "read", 1e300, -5]]),
                    seeks=("what calls", [["read", 1]]), sites=("operation", [[3]]), files=("file", [[None], ["x"]]),
                    processes=("rank pid read_s", [[0, 1, "x"], [1, 2, None]]), clocks=("host", [[1], [2]])),
        journals.result("profile", "open", 10, "layer"), journals.end()]


def nht1_large():
    """Class C; and a second repetition whose runs without writing were faster, which is T_C for both."""
    lines = nht1("pass", 6802444800)
    again = journals.result("nht1_application", "compute", 5, clients=4, repetition=1, ops=True, metrics={"T_C": (10.0, "s")})
    return lines[:-1] + [again, {**lines[2], "repetition": 1}, lines[-1]]


JOURNALS = {"nht1_large": nht1_large, "nht1_one_file": lambda: nht1("pass", 1697932800), "beff": beff, "beff_suspect": lambda: beff(2, "suspect"), "beff_io": beff_io, "nht1_application": nht1,
            "overlap": overlap, "madbench2": madbench2, "bent": bent,
            "trace": trace, "trace_suspect": lambda: trace("suspect"),
            "trace_hostile": lambda: trace(hostile=journals.HOSTILE + ("//evil/share", "/a b/%2e/#x\"y.c", "javascript:alert(1)"))}
