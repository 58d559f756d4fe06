"""Every test of pario on several nodes: which runs, on which file systems, and what has to be true of them."""

import re
import subprocess

from nodes import HERE, LIMIT_S, SOON_S, NotOurs, Unavailable, short

HOSTS, NODES, CLIENTS = "n1:2,n2:1,n3:1", 3, 4
SMALL = "--transfer_size 64k --block_size 256k"

# name: (words, clients counts of the command itself or None)
TESTS = {
    "transfer": f"run transfer {SMALL}",
    "transfer, uring": f"run transfer {SMALL} --api uring --queue_depth 4",
    "transfer, mmap": f"run transfer {SMALL} --api mmap",
    "transfer, mpiio": f"run transfer {SMALL} --api mpiio",
    "transfer, mpiio collective": f"run transfer {SMALL} --api mpiio --collective 1",
    "transfer, mpiio view": f"run transfer {SMALL} --api mpiio --file_view 1",
    "transfer, hdf5": f"run transfer {SMALL} --api hdf5",
    "transfer, pnetcdf": f"run transfer {SMALL} --api pnetcdf",
    "tile": "run tile --sz_tile_x 64 --sz_tile_y 64",
    "noncontig": "run noncontig --element_size 8",
    "noncontig, independent": "run noncontig --memory contiguous --element_size 4k --fsize 8m --operations write --collective 0 "
                              "--repetitions 6",
    "noncontig_array": "run noncontig_array --api hdf5",
    "metadata": "run metadata --items 20",
    "metadata, client counts": "run metadata --items 20 --clients 1,2,3,4 --repetitions 2",
    "smallfiles": "run smallfiles --files 5 --file_size 10000 --io_size 800",
    "interactive": "run interactive --files 12 --directories 3 --file_size 700 --rounds 2",
    "madbench2": "run madbench2 --no_pix 100 --no_bin 8 --sblocksize 8 --fblocksize 4k --bwexp 0.01",
    "overlap": "run overlap --file_size 64k --buffer_sizes 4k,16k --passes 2 --study_time 0",
    "beff": "run beff --short 1 --memory_per_process 16m",
    "beff_io": "run beff_io --minutes 0.0167 --memory_per_node 256m",
    "nht1_application": "run nht1_application --best_of 1 --class S",
    "nht1_peak": "run nht1_peak --fraction 0.000001 --calibration 0.1",
    "nht1_network": "run nht1_network --fraction 0.00001 --method scp",
    "nht1": "run nht1 --fraction 0.00001 --calibration 0.1 --command scp",
    "find": "run find --files 40 --directories 4 --file_size 500 --size 500",
    "visibility": "run visibility --rounds 3 --patience 5",
    "glance": "glance --minutes 1 --space 64m",
}
# Over FUSE every piece of a noncontiguous write is a request where the library does not gather them, as Open MPI's OMPIO; on CephFS
# each is committed by itself where several nodes write the file. Small calls let the time limit end that.
# On a network file system glance is without the trees of a thousand files that each client copies: minutes where two cores are all nodes.
OVER_A_NETWORK = {"glance": TESTS["glance"] + " --parts large,large_cached,shared_mpiio,shared_strided,small_random,collective,"
                                             "independent,metadata,small_files,beff,beff_io",
                  "noncontig": TESTS["noncontig"] + " --buffer_size 4k --time_limit 4"}
GLUSTER = ["transfer", "transfer, uring", "transfer, mmap", "transfer, mpiio", "transfer, hdf5", "transfer, pnetcdf",
           "noncontig, independent", "metadata", "nht1_application", "beff_io", "glance", "trace", "replay", "cold"]
FUSE = ["transfer", "transfer, mpiio", "noncontig", "metadata", "metadata, client counts", "find", "visibility", "interactive", "beff_io",
        "glance", "trace", "replay", "cold"]
REMOTE = ["transfer", "transfer, mpiio", "metadata", "nht1_application", "trace", "replay"]
# A step that does not end is ended, and so is an MPI_Finalize; what is asked for here takes a second.
DEADLINE_S = 20
LONG_S = 240  # and what is one long step
PLAIN_TRIES = 15  # of plain.c, which loses data in one try of six with the kernel's cache
FILE_SYSTEMS = {
    "disk": [*TESTS, "trace", "trace of the launcher", "trace, nothing shared", "replay", "partners", "client counts",
             "spread nodes", "spread cores", "one node's directory"],
    "gluster default": GLUSTER,
    "gluster coherent": GLUSTER,
    "gluster direct": GLUSTER,
    "ceph": FUSE,
    "moosefs": FUSE,
    "nfs": FUSE,
    "sshfs": REMOTE,
}


def one(cluster, flavour, place, words, hosts=HOSTS):
    words = words.split()
    run = cluster.pario(flavour, hosts, *words, *(() if "--repetitions" in words else ("--repetitions", 1)), "--dir", place,
                        "--deadline", LONG_S if {"glance", "beff", "beff_io", "interactive", "overlap", "nht1"} & set(words) else DEADLINE_S)
    return run.wait(3 * LIMIT_S if words[0] == "glance" else LIMIT_S, SOON_S)


def plain(cluster, flavour, place, words):
    # madbench2 asks for a square number of clients, which 4 is
    run = one(cluster, flavour, place, words)
    wrong = run.complaint(NODES, CLIENTS) or left_behind(cluster, place)
    return without_pario(cluster, flavour, place, wrong) if wrong else None


def without_pario(cluster, flavour, place, wrong):
    """Data that MPI-IO lost: does it lose them as well for a program that is not pario? Then that is the reason."""
    how = next((how for words, how in (("wrong data", "independent"), ("MPI-IO reported", "ordered")) if words in wrong), None)
    if not how:
        return wrong
    program = cluster.shared / f"plain-{flavour}"
    subprocess.run([f"mpicc.{flavour}", "-O1", "-o", program, HERE / "plain.c"], check=True, timeout=LIMIT_S)
    for _ in range(PLAIN_TRIES):
        told = cluster.tool("cluster", "mpi", flavour, HOSTS, program, how, place / "plain").stdout
        found = re.search(rf"{how}: (\d+) of (\d+) blocks", told)
        if found and found.group(1) != found.group(2):
            raise NotOurs(f"{wrong} So it is without pario: test/cluster/plain.c finds {found.group(1)} of {found.group(2)} blocks "
                          f"that MPI-IO wrote ({how})")
    return wrong


def left_behind(cluster, place):
    rest = cluster.on("n2", "ls", "-A", place).stdout.split()
    rest = [name for name in rest if name.startswith("pario-")]
    return f"left in the directory: {' '.join(rest)}" if rest else None


def transfer(cluster, flavour, place, words):
    """Besides: reads are those of another node, and pages are counted on all of them."""
    run = one(cluster, flavour, place, words)
    wrong = run.complaint(NODES, CLIENTS) or left_behind(cluster, place)
    read = next((r for r in run.results if r["phase"] == "read"), None)
    if wrong or read is None:
        return wrong or "there is no read phase"
    cache = read["cache"]
    if cache["method"] == "cachestat" and cache["pages_total"] != NODES * read["bytes"] // 4096:
        return f"{cache['pages_total']} pages counted, not those of {NODES} nodes"
    return by_host(run, read)


def by_host(run, result):
    """The journal's table of hosts, and its list of nodes: who had how many clients and moved how much."""
    want = {"n1": 2, "n2": 1, "n3": 1}
    table = result["detail"]["by_host"]
    rows = {row[0]: dict(zip(table["columns"], row)) for row in table["rows"]}
    if {name: row["clients"] for name, row in rows.items()} != want:
        return f"the table of hosts has {rows}"
    if any(row["bytes"] * CLIENTS != row["clients"] * result["bytes"] for row in rows.values()):
        return f"the hosts moved {[row['bytes'] for row in rows.values()]} of {result['bytes']} bytes"
    listed = {node["host"]: node["clients"] for node in run.begin["machine"]["nodes"]}
    return None if listed == want else f"the journal's nodes are {listed}"


def partners(cluster, flavour, place):
    """Clients read what another node wrote; where one node has more than half of them, the journal says how many cannot."""
    words = "read data that their own node wrote"
    for hosts, count in ((HOSTS, None), ("n1:3,n2:1", "2 of 4")):
        run = one(cluster, flavour, place, TESTS["transfer"], hosts)
        told = [line["text"] for line in run.journal if line["kind"] == "note" and words in line["text"]]
        wrong = run.complaint()
        if wrong or (told[0].split(" clients")[0] if told else None) != count:
            return wrong or f"on {hosts} the journal says {told or 'nothing of partners'}"
    return None


def client_counts(cluster, flavour, place):
    run = one(cluster, flavour, place, f"run transfer {TESTS['transfer'].split(' ', 2)[2]} --clients 1,2,4,6", "n1:3,n2:1,n3:2")
    counts = sorted({r["clients"] for r in run.results})
    return run.complaint(3, 6) or (None if counts == [1, 2, 4, 6] else f"client counts {counts}")


def spread(how):
    def check(cluster, flavour, place):
        """Two clients on two nodes, or on one: pages are counted once for each node that takes part."""
        words = f"{TESTS['transfer']} --clients 2 --spread {how}"
        run = one(cluster, flavour, place, words, "n1:2,n2:2")
        wrong = run.complaint()
        read = next((r for r in run.results if r["phase"] == "read"), None)
        if wrong or read is None:
            return wrong or "there is no read phase"
        nodes = read["cache"]["pages_total"] // (read["bytes"] // 4096)
        return None if nodes == (2 if how == "nodes" else 1) else f"2 clients on {nodes} nodes"
    return check


def own_directory(cluster, flavour, _place):
    """A directory that only the first node has is refused with the name of another one."""
    cluster.on("n1", "mkdir", "-p", "/tmp/own")
    run = one(cluster, flavour, "/tmp/own", TESTS["transfer"])
    if run.status == 0 or not any(node in run.said() for node in ("n2", "n3")):
        return f"exit {run.status}: {run.said() or 'nothing said'}"
    return None


def traced(cluster, flavour, place, record, how):
    """A run of pario, traced: by one pario on each rank, or by one around the launcher."""
    words = [cluster.programs[flavour], "trace", "-o", record, "--"]
    run = cluster.pario(flavour, HOSTS, "run", "transfer", "--dir", place, *SMALL.split(), "--repetitions", 1, "--deadline",
                        DEADLINE_S, first=words if how == "ranks" else (), around=words if how == "launcher" else ()).wait()
    cluster.left()  # the trace of ranks that a launcher killed is written after its end
    return run, None if run.end and not run.end["exit_code"] else f"the traced run ended with {run.status}: {run.said()}"


def whole(cluster, flavour, record, run, processes="4"):
    """Four processes on three machines, on one time axis although their clocks are hours apart."""
    shown = cluster.on("n1", cluster.programs[flavour], "profile", record).stdout
    if not re.search(rf"processes {processes} on 3 machines", shown) or "RANKS" in shown:
        found = re.search(r"processes .*|.*RANKS.*", shown)
        return "the trace has not all 4 clients: " + (found.group(0) if found else short(shown[-160:]))
    if not (over := re.search(r"over ([\d.]+) (s|ms)\b", shown)):
        return "the profile tells no time: " + short(shown[:160])
    seconds = float(over.group(1)) / (1000 if over.group(2) == "ms" else 1)
    return None if seconds <= run.seconds else f"a trace of {seconds:.0f} s of a run of {run.seconds:.0f} s"


# What the servers or daemons count: ceph-fuse's own misses, else what servers handed out. A cache is a matter of doubt on the
# two on which pario probes one; what lies on the servers none of these sees.
def missed(cluster, system):
    return int(cluster.tool(system.split()[0], "missed").stdout.split()[-1])


def cold(cluster, flavour, place, system):
    """What a read says of the caches on its node is what is counted beyond them: bytes of a cache that is excluded came from there."""
    for verify in (0, 1):
        misses = {}
        for phases in ("write", "write,read"):  # what the read alone missed is the difference
            before = missed(cluster, system)
            run = one(cluster, flavour, place, f"run transfer --layout per_client --block_size 8m --verify {verify} "
                                               f"--read_shift 2 --operations {phases}")
            misses[phases] = missed(cluster, system) - before
            if wrong := run.complaint(NODES, CLIENTS):
                return wrong
        read = next(r for r in run.results if r["phase"] == "read")
        share = (misses["write,read"] - misses["write"]) / read["bytes"]
        told = (f"with --verify {verify} “{read['cache']['excluded']}” is excluded, {read['outcome']}, and {share:.2f} of the bytes read "
                "came from beyond the node")
        node = {"ceph": "ceph-fuse", "gluster": "GlusterFS", "moosefs": "mfsmount"}.get(system.split()[0])
        excluded = node is None or node in read["cache"]["excluded"]
        # ceph-fuse keeps what a verification has read, and must not be called empty then; it is so if nobody read there
        if excluded != (share > 0.6) if system == "ceph" else excluded and share <= 0.6:
            return told
    return None


def record_of(cluster):
    return cluster.shared / f"{cluster.fresh().name}.trace"


def trace(how):
    def check(cluster, flavour, place):
        """Every client's calls arrive."""
        record = record_of(cluster)
        run, wrong = traced(cluster, flavour, place, record, how)
        # around the launcher, it and its helpers are traced as well
        return wrong or whole(cluster, flavour, record, run, "4" if how == "ranks" else r"\d+")
    return check


def trace_apart(cluster, flavour, place):
    """Where the trace's directory is every node's own, each has a trace, and they can be joined."""
    record, parts = record_of(cluster), []
    own = "/tmp/own.trace"
    run, wrong = traced(cluster, flavour, place, own, "ranks")
    for number in range(1, NODES + 1):
        parts.append(cluster.shared / f"{record.name}.n{number}")
        cluster.on(f"n{number}", "mv", own, parts[-1])
    if not wrong and "OF 4 RANKS" not in run.text and "MPI_Finalize did not return" not in run.text:
        wrong = "nobody said that ranks are missing"
    joined = cluster.on("n1", cluster.programs[flavour], "trace", "--join", record, *parts)
    return wrong or (short(joined.stdout) if joined.returncode else None) or whole(cluster, flavour, record, run)


def replay(cluster, flavour, place):
    """What was traced on these nodes is done again on them."""
    record = record_of(cluster)
    _, wrong = traced(cluster, flavour, place, record, "ranks")
    if wrong:
        return wrong
    # not its pauses: an MPI_Finalize that hung is one of them
    run = cluster.pario(flavour, HOSTS, "replay", record, place, "--speed", "max", "--repetitions", 1, "--deadline",
                        DEADLINE_S).wait(finalize=SOON_S)
    return run.complaint(NODES, CLIENTS) or left_behind(cluster, place)


SPECIAL = {"trace": trace("ranks"), "trace of the launcher": trace("launcher"), "trace, nothing shared": trace_apart,
           "replay": replay, "partners": partners, "client counts": client_counts, "spread nodes": spread("nodes"), "spread cores": spread("cores"),
           "one node's directory": own_directory, "cold": cold}


def cell(cluster, row, flavour, system):
    """None where all is well, else the reason."""
    # A new name each time: a node may take that of a directory that is gone for the old one.
    place = {"disk": cluster.shared / "data", "sshfs": cluster.remote}.get(system, cluster.volume) / cluster.fresh().name
    cluster.on("n1", "mkdir", "-p", place)
    for number in range(1, cluster.count + 1):
        kind = cluster.on(f"n{number}", "stat", "-f", "-c", "%T", place).stdout.strip()
        if (kind == "fuseblk") != (system != "disk"):
            return f"{place} is not on {system} on n{number}, but on {kind}"
    try:
        if row in SPECIAL:
            wrong = cold(cluster, flavour, place, system) if row == "cold" else SPECIAL[row](cluster, flavour, place)
        else:
            check = transfer if row in ("transfer", "transfer, mpiio") else plain
            words = TESTS[row] if system == "disk" else OVER_A_NETWORK.get(row, TESTS[row])
            wrong = check(cluster, flavour, place, words)
        rest = cluster.left()
        return wrong or (f"still running: {rest[0][:80]}" if rest else None)
    finally:
        cluster.end()
        cluster.on("n1", "rm", "-rf", place)


def prepare(cluster, system):
    """Makes a file system ready on all nodes."""
    kind, _, setting = system.partition(" ")
    if kind == "gluster":
        if not cluster.volume.exists():
            must(cluster.tool("gluster", "start"))
        cluster.tool("gluster", "unmount")
        must(cluster.tool("gluster", "mount", setting))
    elif kind in ("ceph", "moosefs", "nfs"):
        must(cluster.tool(kind, "start", limit=2 * LIMIT_S))
        must(cluster.tool(kind, "mount", limit=2 * LIMIT_S))
    elif kind == "sshfs":
        cluster.remote.mkdir(exist_ok=True)
        for number in range(1, cluster.count + 1):
            must(cluster.on(f"n{number}", "sshfs", "-F", cluster.dir / "ssh_config", f"n1:{cluster.shared}", cluster.remote))


def must(done):
    if done.returncode:
        raise Unavailable((done.stdout.strip().splitlines() or ["it did not start"])[-1])
