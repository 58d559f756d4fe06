"""A cluster and the runs of pario on it, for the checks in this folder."""

import json
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
LIMIT_S = int(os.environ.get("CLUSTER_LIMIT_S", "180"))
# MPICH across nodes may never return from MPI_Finalize: so long after the journal's end line it is ended. SOON_S is for runs of
# which nothing but the journal counts.
FINALIZE_S, SOON_S = 45, 8
FLAVOURS = {"openmpi": "Open MPI", "mpich": "MPICH"}


def lines_of(path):
    """The whole lines of a journal."""
    out = []
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return out
    for line in text.splitlines():
        try:
            out.append(json.loads(line))
        except ValueError:
            break
    return out


class Run:
    """One run of pario: started, waited for, judged by its journal."""

    def __init__(self, cluster, words, output):
        self.cluster, self.output, self.journal_path = cluster, output, output / "journal.jsonl"
        self.log = cluster.dir / "logs" / (output.name + ".log")
        self.log.parent.mkdir(exist_ok=True)
        self.start, self.hung, self.status = time.monotonic(), False, None
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cluster.dir)

    @property
    def text(self):
        return self.log.read_text(errors="replace")

    @property
    def journal(self):
        return lines_of(self.journal_path)

    @property
    def begin(self):
        return next((line for line in self.journal if line["kind"] == "begin"), {})

    @property
    def end(self):
        return next((line for line in self.journal if line["kind"] == "end"), None)

    @property
    def results(self):
        return [line for line in self.journal if line["kind"] == "result"]

    def until(self, condition, limit):
        """Waits until condition() is true or the run has ended; says which by returning condition()."""
        stop = time.monotonic() + limit
        while time.monotonic() < stop and self.process.poll() is None:
            if condition():
                return True
            time.sleep(0.2)
        return condition()

    def wait(self, limit=LIMIT_S, finalize=FINALIZE_S):
        ended = None
        stop = time.monotonic() + limit
        while self.process.poll() is None and time.monotonic() < stop:
            if ended is None and self.end is not None:
                ended = time.monotonic()
            if ended is not None and time.monotonic() - ended > finalize:
                break
            time.sleep(0.2)
        self.seconds = time.monotonic() - self.start
        self.hung = self.process.poll() is None
        self.stuck = self.cluster.ps() if self.hung else []
        if self.hung:
            self.cluster.end()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.status = self.process.returncode
        return self

    def said(self):
        """The sentence in which pario says why: from the end of the journal, else from the terminal."""
        told = [line.get("reason") for line in self.results if line["outcome"] == "fail"]
        told += [line.get("text") for line in self.journal if line["kind"] == "note" and line.get("level") == "error"]
        told += [line for line in self.text.splitlines()
                 if line.startswith("pario: ") and not any(word in line for word in ("MPI_Finalize", "next: pario"))]
        return next((word for word in reversed(told) if word), "")

    def complaint(self, nodes=None, clients=None):
        """Why this run is not sound, or None."""
        end, mpi = self.end, self.begin.get("machine", {}).get("mpi", {})
        failed = [line for line in self.results if line["outcome"] == "fail"]
        if failed and "mmap" in failed[0]["reason"] and "ENODEV" in failed[0]["reason"]:
            raise Unavailable("FUSE maps no files that are opened with direct-io-mode: mmap gives ENODEV")
        if failed:
            return short(failed[0]["reason"])
        if "is not available" in self.said():
            raise Unavailable(short(self.said().partition("is not available: ")[2]))
        if "Could not access shared file pointer" in self.text:
            raise NotOurs("ROMIO ends the program (MPI_Abort) where it cannot read the hidden file of a shared file pointer, "
                          "whatever error handler the file has")
        if end is None:
            return short(f"no end line after {self.seconds:.0f} s, exit {self.status}: {self.said() or 'nothing said'}")
        # Where one client does not return from MPI_Finalize, the launcher has its own idea of the exit status.
        left = self.hung or any(words in self.text for words in ("MPI_Finalize did not return", "process manager error"))
        if end["exit_code"] or (self.status and not left):
            return short(f"exit {self.status}, journal {end['exit_code']}: {self.said()}")
        if not any(line["outcome"] in ("pass", "suspect") for line in self.results):
            return short("nothing measured: " + next((r["reason"] for r in self.results if r["reason"]), "no result"))
        if nodes and (mpi.get("nodes"), mpi.get("clients")) != (nodes, clients):
            return f"the journal says {mpi.get('clients')} clients on {mpi.get('nodes')} nodes"
        if not end.get("removed"):
            return "the workspace was not removed"
        return self.odd(nodes)

    def odd(self, nodes):
        """Numbers that cannot be right."""
        for line in self.results:
            skew = line["metrics"].get("clock_skew_s", {}).get("value")
            if nodes and skew is not None and line["clients"] == self.begin["machine"]["mpi"]["clients"]:
                if abs(skew - 7200 * (nodes - 1)) > 5:
                    return f"clocks {skew:.3f} s apart, and they are {7200 * (nodes - 1)} s"
            if line["seconds"]["total"] < 0 or line["seconds"]["total"] > self.seconds:
                return f"a phase of {line['seconds']['total']:.1f} s in a run of {self.seconds:.1f} s"
            cache = line.get("cache") or {}
            if cache.get("wanted") == "cold" and line["outcome"] == "pass" and cache.get("pages_resident"):
                return f"{cache['pages_resident']} pages in the cache of a cold phase"
        return None


def short(text, width=160):
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1].rsplit(" ", 1)[0] + " …"


class Cluster:
    def __init__(self, name, count, programs):
        self.name, self.count, self.programs = name, count, programs
        self.dir = pathlib.Path("/var/lib/pario-cluster") / name
        self.shared, self.volume, self.remote = self.dir / "shared", self.dir / "volume", self.dir / "remote"
        self.number = 0

    def tool(self, script, *words, limit=LIMIT_S):
        place = ["-c", self.name] if script == "cluster" else [self.name]
        try:
            return subprocess.run([HERE / script, *place, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                                  errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(error.cmd, 124, stdout=f"{script} {words[0]} took too long")

    def __enter__(self):
        made = self.tool("cluster", "up", self.count, f"with={os.getpid()}", limit=2 * LIMIT_S)
        if made.returncode:
            raise Unavailable(made.stdout.strip())
        return self

    def __exit__(self, *error):
        self.tool("cluster", "down")

    def on(self, node, *words, limit=60):
        return self.tool("cluster", "run", node, *words, limit=limit)

    def ps(self):
        return self.tool("cluster", "ps", limit=60).stdout.splitlines()

    def end(self):
        self.tool("cluster", "end", limit=60)

    def pids(self, node, name):
        """Processes of a node by the name of their program."""
        return self.on(node, "pgrep", "-x", name).stdout.split()

    def fresh(self):
        self.number += 1
        return self.shared / f"out.{self.number}"

    def pario(self, flavour, hosts, *words, env=(), first=(), around=()):
        """Starts pario under the launcher of this MPI on the hosts; `first` are words before the program, `around` before
        the launcher."""
        output = self.fresh()
        command = [HERE / "cluster", "-c", self.name, "mpi", flavour, hosts, *first,
                   self.programs[flavour], *map(str, words), "--output", output]
        run = Run(self, ["env", f"CLUSTER_AROUND={' '.join(map(str, around))}", *env, *command], output)
        run.program = self.programs[flavour]
        return run

    def left(self, limit=20):
        """What still runs on the nodes after a while, or nothing."""
        stop = time.monotonic() + limit
        while (rest := self.ps()) and time.monotonic() < stop:
            time.sleep(0.5)
        return rest


class Unavailable(Exception):
    """Something that this machine does not have."""


class NotOurs(Exception):
    """Something that is wrong without pario as well."""
