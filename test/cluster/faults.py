"""What becomes of a run on several nodes when a part of them dies, stops or is cut off.

Each function spoils a run that is under way and returns (kept, what happened).
"""

import re
import time
from functools import partial

from matrix import HOSTS, SMALL, must
from nodes import short

DEADLINE_S = 12
# Time beyond the deadline in which everything has to be over, on a machine that does other things besides.
GRACE_S = 60
DAEMONS = {"openmpi": "orted", "mpich": "hydra_pmi_pro"}


def under_way(cluster, flavour, place, *words, first=(), env=()):
    """A run of many repetitions that has brought its first results."""
    run = cluster.pario(flavour, HOSTS, "run", "transfer", "--dir", place, *SMALL.split(), "--repetitions", 100000,
                        "--deadline", DEADLINE_S, *words, first=first, env=env)
    if not run.until(lambda: len(run.results) >= 4, 120):
        run.wait(1)
        raise RuntimeError("the run did not start: " + (run.said() or run.text[-200:]))
    return run


def interrupt(cluster):
    for node in ("n1", "n2", "n3"):
        cluster.on(node, "sh", "-c", "kill -INT $(pgrep -x pario)")


def named(text, node):
    """Does a sentence of pario or of the launcher say which client on which node?"""
    return re.search(rf"(?i)client \d+ on {node}|rank \d+ .*on node {node}|RUNNING AT {node}|daemon .*{node}|{node}.*daemon",
                     " ".join(text.split()))


def workspace(cluster, run, place):
    """(in order, words): a workspace that is left is one that `pario clean` removes."""
    names = [n for n in cluster.on("n1", "ls", "-A", place).stdout.split() if n.startswith("pario-")]
    if not names:
        return True, "workspace removed"
    cluster.on("n1", run.program, "clean", place)
    if cluster.on("n1", "ls", "-A", place).stdout.split():
        return False, "workspace left, also by `pario clean`"
    return True, "workspace removed by `pario clean`"


def judge(cluster, run, place, node, mend=lambda: None):
    """After a fault on node: ended in time, said who and where, readable, nothing running, workspace in order; the last two may
    need the storage mended."""
    spoiled, wrong, told, harmed = time.monotonic(), [], [], True
    run.until(lambda: False, DEADLINE_S + 10)
    before = len(run.results)
    if run.process.poll() is None and run.until(lambda: len(run.results) > before + 4, 10):
        told.append("went on measuring until interrupted")
        harmed = False
        interrupt(cluster)
    run.wait(GRACE_S)
    ours = [line for line in run.stuck if line.split()[3:4] == [run.program]]
    if run.hung and (run.end is None or ours):
        wrong.append("did not end")
    elif run.hung:
        told.append("the launcher waited for the node and was ended")
    said = run.said() + " " + run.text
    if harmed and not named(said, node):
        wrong.append("no sentence names client and node")
    if not run.results:
        wrong.append("journal not readable")
    mend()
    if rest := cluster.left(30):
        wrong.append(f"left running: {short(rest[0], 60)}")
        cluster.end()
    fine, words = workspace(cluster, run, place)
    if not fine:
        wrong.append(words)
    told = [f"exit {run.status} after {time.monotonic() - spoiled:.0f} s", *told,
            "end line" if run.end else "no end line, results readable", words]
    if run.said():
        told.append(f"“{short(run.said(), 120)}”")
    return not wrong, ", ".join(told) + (f"; **{', '.join(wrong)}**" if wrong else "")


def killed(cluster, flavour, place):
    run = under_way(cluster, flavour, place)
    cluster.on("n2", "kill", "-KILL", *cluster.pids("n2", "pario"))
    return judge(cluster, run, place, "n2")


def stopped(cluster, flavour, place):
    run = under_way(cluster, flavour, place)
    cluster.on("n2", "kill", "-STOP", *cluster.pids("n2", "pario"))
    return judge(cluster, run, place, "n2")


def daemon_killed(cluster, flavour, place):
    run = under_way(cluster, flavour, place)
    cluster.on("n2", "kill", "-KILL", *cluster.pids("n2", DAEMONS[flavour]))
    return judge(cluster, run, place, "n2")


def link_down(cluster, flavour, place, kind=None):
    def up():
        cluster.tool("cluster", "link", "n2", "up")
        must(cluster.tool(kind, "revive", limit=240))

    run = under_way(cluster, flavour, place)
    cluster.tool("cluster", "link", "n2", "down")
    try:
        return judge(cluster, run, place, "n2", *([up] if kind else []))
    finally:
        cluster.tool("cluster", "link", "n2", "up")


def clock_stepped(cluster, flavour, place):
    """The wall clock of n2 jumps an hour on in mid-run: no time and no rate may follow it."""
    step = cluster.shared / "step"
    step.write_text("+0\n")
    wrapper = cluster.shared / "stepped"
    wrapper.write_text("#!/bin/sh\n[ \"$(hostname)\" != n2 ] || export LD_PRELOAD=$LIBFAKETIME FAKETIME_NO_CACHE=1 "
                       f"FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 FAKETIME_TIMESTAMP_FILE={step}\nexec \"$@\"\n")
    wrapper.chmod(0o755)
    found = cluster.on("n1", "sh", "-c", "ls /usr/lib/*/faketime/libfaketimeMT.so.1").stdout.split()
    if not found:
        return None, "not tried: faketime is not installed"
    wrapper.write_text(wrapper.read_text().replace("$LIBFAKETIME", found[0]))
    run = under_way(cluster, flavour, place, first=[wrapper])
    before = len(run.results)
    step.write_text("+3600\n")
    run.until(lambda: len(run.results) >= before + 8, 60)
    interrupt(cluster)
    run.wait(DEADLINE_S + GRACE_S)
    cluster.end()
    times = [r["seconds"]["total"] for r in run.results]
    sane = len(times) >= before + 8 and all(0 < s < run.seconds for s in times) and run.odd(3) is None
    return sane, f"{len(times)} phases, all between 0 and {max(times, default=0):.2f} s; exit {run.status}, " + (
        "end line" if run.end else "no end line")


FAULTS = {
    "rank killed": killed,
    "rank stopped": stopped,
    "node daemon killed": daemon_killed,
    "network cut (veth down)": link_down,
    "wall clock stepped by an hour": clock_stepped,
}


# ---- storage ----

def server_killed(kind):
    def fault(cluster, flavour, place):
        """An error or a pause, never a wrong number."""
        run = under_way(cluster, flavour, place)
        cluster.tool(kind, "kill")
        done = len(run.results)
        run.until(lambda: len(run.results) >= done + 40, 20)
        went_on = run.process.poll() is None
        interrupt(cluster)
        run.wait(DEADLINE_S + GRACE_S)
        must(cluster.tool(kind, "revive"))
        rest = cluster.left(120)  # mfsmount asks again after ever longer pauses; who waits for it cannot be killed
        cluster.end()
        wrong = [r for r in run.results if r["outcome"] == "fail" and "wrong" in r["reason"]]
        kept = bool(run.results) and not wrong and not rest and run.status != 4
        return kept, (f"{len(run.results)} results, {'went on' if went_on else 'ended'}; “{short(run.said(), 140)}”"
                      + (f"; **left running: {short(rest[0], 60)}**" if rest else ""))
    return fault


def over_quota(kind):
    def fault(cluster, flavour, place):
        """More than the directory may hold: the run ends and says so."""
        must(cluster.tool(kind, "quota", place, 4 << 20))
        run = cluster.pario(flavour, HOSTS, "run", "transfer", "--dir", place, "--transfer_size", "1m", "--block_size", "32m",
                            "--repetitions", 1, "--deadline", 5 * DEADLINE_S).wait(8 * DEADLINE_S)
        said = next((line for line in run.text.splitlines() if line.startswith("pario: ") and "quota" in line), run.said())
        # CephFS tells clients of a quota now and then; until then more is written, and the next writes fail
        kept = run.status not in (0, 4) and run.end is not None and "EDQUOT" in said
        return kept, f"exit {run.status}, {'end line' if run.end else 'no end line'}; “… {short(said[max(0, said.find('disk quota')):], 120)}”"
    return fault


def delay(cluster, flavour, place):
    """Each write of a brick takes 100 ms longer: is that what the latency shows?"""
    planted, medians = 0.100, []
    for word in ("off", int(planted * 1e6)):
        must(cluster.tool("gluster", "delay", word))
        run = cluster.pario(flavour, "n1:1,n2:1", "run", "transfer", "--operations", "write", "--transfer_size", "4k",
                            "--block_size", "64k", "--dir", place, "--repetitions", 1).wait()
        write = next((r for r in run.results if r["phase"] == "write"), None)
        if write is None:
            return False, "no result: " + run.said()
        medians.append(write["latency_ns"]["p50"] / 1e9)
    must(cluster.tool("gluster", "delay", "off"))
    added = medians[1] - medians[0]
    return abs(added - planted) <= 0.1 * planted, f"planted {planted * 1e3:.0f} ms, found {added * 1e3:.2f} ms per write"


# By the file system on which they are tried
FAULTS_ON = {
    "disk": FAULTS,
    "gluster direct": {"brick killed in mid-run": server_killed("gluster"), "delay of a brick": delay},
    **{kind: {f"{kind}: server killed": server_killed(kind), f"{kind}: rank killed": killed,
              **({f"{kind}: over a quota": over_quota(kind)} if kind != "nfs" else {}),
              f"{kind}: network cut": partial(link_down, kind=kind)} for kind in ("ceph", "moosefs", "nfs")},
}
