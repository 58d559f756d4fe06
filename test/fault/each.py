#!/usr/bin/env python3
"""Fails every nth call of a kind, in every test, with every backend, in every client: what becomes of the run?

each.py [OPTION...] DIRECTORY CASES MPI=PROGRAM...

--all             every call, not a sample that --day decides; those at the ends of each kind first, and others between them
--most N          of a kind of call in one client so many
--seconds S       begin no more attempts after so long
--jobs N          runs at once: as many as there are processors
--calls REGEX     leave out the other kinds of call
--day DATE, --cases N, --tries N   the sample: so many cases, and so many calls of each
--fault WHERE RANK CALL NUMBER ERROR   one attempt, and what was said; again and again

CASES is a regular expression that chooses from the table below. The file calls of a small run are counted, then it is made
again for each of them, with that one failing (test/fault/inject.c).

Every run must end by itself, not by its deadline, with exit code 3, and with a sentence that names error, client and node, in a
journal that is whole, and leave neither files nor processes, or say what stayed and how it goes. Calls whose failure loses
nothing may be passed over: HARMLESS says which. Where a library loses an error, the verification may find it (exit code 4).

Writes what is wrong as it is found, then a line "CASE, MPI: tried N of M, N held" for each case, and last "tried N of M, N held" for
all, where M is how many calls there are in the cases that were looked at. Exit status 1 when any did not hold.
"""

import argparse
import collections
import concurrent.futures
import datetime
import errno
import os
import pathlib
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import time


# Far above what a run takes; one that comes to this has hung, and its deadline has ended it.
DEADLINE_S = 60
LIMIT_S = 180

SMALL = "--transfer_size 16k --block_size 32k --operations write,rewrite,read"
TILE = "tile --sz_tile_x 16 --sz_tile_y 16"
NONCONTIG = "noncontig --fsize 16k"
MADBENCH = "madbench2 --no_pix 50 --no_bin 2 --sblocksize 16 --fblocksize 4k"
OVERLAP = "--file_size 16k --buffer_sizes 4k --passes 2 --study_time 0 --loop 10"
ARRAY = "noncontig_array --veclen 8 --veccount 4"

# name, words after `run`
CASES = {
    "transfer posix": f"transfer {SMALL}",
    "transfer posix per_client": f"transfer {SMALL} --layout per_client --sync 1 --preallocate 1",
    "transfer uring": f"transfer {SMALL} --api uring --queue_depth 2",
    "transfer mmap": f"transfer {SMALL} --api mmap",
    "transfer mpiio": f"transfer {SMALL} --api mpiio",
    "transfer mpiio collective": f"transfer {SMALL} --api mpiio --collective 1",
    "transfer mpiio per_client": f"transfer {SMALL} --api mpiio --layout per_client",
    "transfer mpiio view": f"transfer {SMALL} --api mpiio --file_view 1 --collective 1",
    "transfer mpiio shared": f"transfer {SMALL} --api mpiio --pointer shared",
    "transfer hdf5": f"transfer {SMALL} --api hdf5",
    "transfer hdf5 collective": f"transfer {SMALL} --api hdf5 --collective 1",
    "transfer pnetcdf": f"transfer {SMALL} --api pnetcdf",
    "transfer pnetcdf collective": f"transfer {SMALL} --api pnetcdf --collective 1",
    "tile": TILE,
    "tile mpiio": f"{TILE} --api mpiio --collective 1",
    "noncontig mpiio": f"{NONCONTIG} --api mpiio",
    "noncontig mpiio collective": f"{NONCONTIG} --api mpiio --collective 1",
    "noncontig_array hdf5": f"{ARRAY} --api hdf5",
    "noncontig_array pnetcdf": f"{ARRAY} --api pnetcdf --collective 1",
    "madbench2 posix": f"{MADBENCH} --np 1",
    "madbench2 stdio": f"{MADBENCH} --np 1 --iomethod stdio",
    "madbench2 async": f"{MADBENCH} --np 1 --iomode async",
    "madbench2 mpi": f"{MADBENCH} --np 1 --iomethod mpi",
    "madbench2 mpi shared": f"{MADBENCH} --np 4 --iomethod mpi --filetype shared",
    "madbench2 mpi async": f"{MADBENCH} --np 4 --iomethod mpi --iomode async",
    "beff_io": "beff_io --minutes 0.0167 --memory_per_node 256m",
    "metadata": "metadata --items 3 --write_bytes 100 --read_bytes 100",
    "smallfiles": "smallfiles --files 4",
    "find": "find --files 10",
    "interactive": "interactive --files 2 --directories 1 --rounds 1",
    "nht1_application": "nht1_application --class S --np 1 --write_interval 30",
    "nht1_peak": "nht1_peak --fraction 0.00001 --calibration 0.1",
    **{f"overlap {routine}": f"overlap {OVERLAP} --routine {routine}" for routine in
       ("pread", "readv", "stdio", "mmap", "aio", "uring", "mpi_read_at", "mpi_iread_at", "mpi_read_all", "thread")},
    "visibility": "visibility --rounds 2",
}

# Errors that the call may end with on storage that has one.
ERRORS = {
    "open": ("EACCES", "ENOSPC", "EMFILE", "ESTALE", "EIO"),
    "write": ("ENOSPC", "EIO", "EDQUOT"),
    "pwrite": ("EIO", "ENOSPC", "EDQUOT"),
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("ENOSPC", "EIO"),
    "close": ("EDQUOT", "EIO", "ENOSPC"),
    "mkdir": ("ENOSPC", "EACCES", "EIO"),
    "ftruncate": ("ENOSPC", "EIO", "EACCES"),
    "fallocate": ("ENOSPC", "EDQUOT", "EIO"),
    "unlink": ("EACCES", "EIO", "ESTALE"),
    "rmdir": ("EIO", "EACCES"),
    "rename": ("EIO", "ENOSPC"),
}


# call, perhaps with an error, path, program; and why nothing is lost
HARMLESS = (
    ("close_read", "", "", "it was only read"),
    ("close_empty", "", "", "there was nothing in it that could be lost"),
    ("flock", "", "", "without a lock the manifest says who uses it"),
    ("f?stat", "", "", "what is not known is looked at again, or makes the result suspect"),
    ("(open|fstat|pread) ESTALE", "/visibility", "", "what is stale is not there yet, and is looked for again"),
    (".*", r"\.probe(\.shfp\.\d+\.\d+)?$", "", "shared file pointers that do not work are left out, and the value is not valid"),
    ("ftruncate", r"\.data\.[^/]*/|/peak/", "", "a large file is cut before it is removed"),
    (".* (ENOSPC|EDQUOT)", r"\.data\.[^/]*/", "", "b_eff_io ends where there is no space, and says that"),
    ("read", r"/cc\w+\.\w+$", "", "a compiler, which reads again what it made"),
    ("open", "/overlap/|/peak/", "", "where pages in the cache cannot be counted, the result says so"),
    ("close", "/manifest$", "", "what it says was made durable before"),
    ("open", r"/\.$", "", "what is not listed keeps the directory from being removed, and that is told"),
    ("close", r"\.data\.|/madbench2|/overlap", "openmpi", "OMPIO does not look at its own close; pario closes a descriptor of its own"),
    ("stat|open|rename|close|f.*sync|write|unlink", r"report\.html", "", "the page can be made from the journal"),
)


def error_for(call, number):
    names = ERRORS.get(call, ("EIO", "ESTALE"))
    return names[number % len(names)]


def processes_with(words):
    """Those that were started with these words."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if words in pathlib.Path("/proc", number, "cmdline").read_bytes():
                found.append(int(number))
        except OSError:  # it has ended
            pass
    return found


class Run:
    """One bounded run of a case: status, text, seconds."""

    def __init__(self, place, program, words, inject):
        self.program = program
        self.data, self.out = place / "data", place / "out"
        for directory in (self.data, self.out):
            shutil.rmtree(directory, ignore_errors=True)
        self.data.mkdir(parents=True)
        command = [program, "run", *words.split(), *([] if "--np" in words else ["--np", "2"]), "--repetitions", "1", "--seed", "1",
                   "--deadline", str(DEADLINE_S), "--dir", str(self.data), "--output", str(self.out)]
        environment = dict(os.environ, LD_PRELOAD=str(INJECTOR), **inject)
        begin = time.monotonic()
        with open(place / "text", "w+b") as text:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=text, stderr=text,
                                       env=environment, start_new_session=True, cwd=place)
            try:
                self.status = process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                self.status = None
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            text.seek(0)
            self.text = text.read().decode(errors="replace")
        self.seconds = time.monotonic() - begin
        self.stayed = self.processes()

    def processes(self):
        """Processes of this run that did not end with it; launchers end a moment before the last one."""
        end = time.monotonic() + LIMIT_S
        while (found := processes_with(f"--output\0{self.out}\0".encode())) and time.monotonic() < end:
            time.sleep(0.1)
        for number in found:
            os.kill(number, signal.SIGKILL)
        return found

    def files(self):
        return sorted(str(p.relative_to(self.data)) for p in self.data.rglob("*"))


def counted(place, program, words, path):
    """[(rank, call, number of calls)] of a good run, in the process that makes most; None where it does not pass."""
    counts = place / "counts"
    counts.unlink(missing_ok=True)
    run = Run(place, program, words, {"INJECT": f"path={path}", "INJECT_COUNT": str(counts)})
    if run.status != 0:
        return None, run
    totals = {}
    for line in counts.read_text().splitlines():
        rank, call, number = line.split()
        if int(rank) >= 0 and call != "fadvise":
            totals[int(rank), call] = max(totals.get((int(rank), call), 0), int(number))
    return [(*key, n) for key, n in sorted(totals.items())], run


def sound(out):
    """Is the journal whole, with an end?"""
    said = subprocess.run([READ_JOURNAL, out], capture_output=True, text=True).stdout
    return said.rstrip().endswith(" 0 1")


def passes(mpi, call, path, run, error):
    """May a run with this fault pass? Also where the error is named in a warning, or makes a result suspect."""
    return f"({error})" in run.text or any(
        re.match(rf"({c})\b", f"{call} {error}") and re.search(p, path) and o in mpi for c, p, o, _ in HARMLESS)


def explained(run, rank, call, error):
    """What a failed run does not say."""
    if "although MPI-IO reported success" in run.text:  # to every client: only the size of the file tells
        return
    lost = re.search("PnetCDF says|cannot be read back", run.text)  # by the library, and found all the same
    command = re.search(r"the command \w+ ended", run.text) and os.strerror(getattr(errno, error)) in run.text
    if f"({error})" not in run.text and not lost and not command:
        yield f"({error}) is not named"
    if not re.search(rf"client {rank} on ", run.text):
        yield f"client {rank} is not named"


def clean(run):
    """What a run says that it left is removed as it says."""
    if "pario clean" in run.text:
        subprocess.run([run.program, "clean", str(run.data)], capture_output=True)
    if "`rmdir`" in run.text:
        for directory in run.data.glob("pario-*"):
            directory.rmdir()


def judge(mpi, run, fault, path):
    """What is wrong with a run, as sentences."""
    _, rank, call, _, error = fault
    if run.status is None:
        return ["it did not end"]
    wrong = []
    if re.search("did not end within|no sign of life|processes did not", run.text):
        wrong.append("its deadline ended it")
    elif run.seconds > DEADLINE_S:
        wrong.append("it took its whole deadline")
    if run.stayed:
        wrong.append("processes stayed")
    if run.status == 3:
        wrong += explained(run, rank, call, error)
    elif run.status == 4 and not re.search(r"client \d+ on ", run.text):
        wrong.append("wrong data, seen by nobody")
    elif run.status == 0 and not passes(mpi, call, path, run, error):
        wrong.append("passed")
    elif run.status not in (0, 4):
        wrong.append(f"status {run.status}")
    if not path.startswith(str(run.out)) and not sound(run.out):
        wrong.append("the journal is not whole")
    clean(run)
    if run.files():
        wrong.append("left " + " ".join(run.files()[:5]))
    return wrong


Case = collections.namedtuple("Case", "name mpi program words")
Fault = collections.namedtuple("Fault", "where rank call number error")


def path_of(directory, where):
    return f"{directory}/data/pario-" if where == "data" else f"{directory}/out"


def faults_of(directory, case):
    """The faults that a case can have, and what a run said that does not pass without any."""
    found = []
    for where in ("data", "out"):
        totals, run = counted(directory, case.program, case.words, path_of(directory, where))
        if totals is None:
            return [], run.text or "nothing"
        for rank, call, total in totals:
            found += [Fault(where, rank, call, n, error_for(call, n)) for n in range(1, total + 1)]
    return found, ""


def halves(count):
    """0 .. count - 1: both ends, what lies in the middle, in the middle of the halves, and so on."""
    yield from (0, count - 1)[:count]
    between = collections.deque([(0, count - 1)])
    while between:
        first, last = between.popleft()
        middle = (first + last) // 2
        if first < middle:
            yield middle
            between += (first, middle), (middle, last)


def in_order(faults, most):
    """[(place in the order, fault)]: of each kind of call in one client the ends first, and at most so many."""
    kinds = {}
    for fault in faults:
        kinds.setdefault(fault[:3], []).append(fault)
    return [(n, kind[i]) for kind in kinds.values() for n, i in enumerate(halves(len(kind))) if n < most]


def attempt(directory, case, fault):
    """(run, what is wrong); None where that call did not come this time."""
    log = directory / "spoiled"
    log.unlink(missing_ok=True)
    run = Run(directory, case.program, case.words,
              {"INJECT": f"fail={fault.call}@{fault.number}:{fault.error},path={path_of(directory, fault.where)},rank={fault.rank}",
               "INJECT_LOG": str(log)})
    if not log.exists():
        return None
    _, call, _, run.spoiled = log.read_text().splitlines()[0].split(maxsplit=3)
    return run, judge(case.mpi, run, fault._replace(call=call), run.spoiled)


def tell(case, fault, run, wrong):
    print(f"{case.name}, {case.mpi}: {fault.call} {fault.number} of client {fault.rank} on {run.spoiled} fails with {fault.error}: "
          f"{'; '.join(wrong)} [{run.seconds:.0f} s; each.py --fault {' '.join(map(str, fault))}]")
    for line in run.text.splitlines():
        if line.startswith("pario: "):
            print("    " + line)
    sys.stdout.flush()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--most", type=int, default=1000000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--calls", default="")
    parser.add_argument("--day", default=datetime.date.today().isoformat())
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--tries", type=int, default=1000000)
    parser.add_argument("--fault", nargs=5, action="append")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("chosen")
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()


def chosen_cases(given, dice):
    """In the order of the table, or of the day's dice."""
    cases = [Case(name, *p.split("=", 1), words) for p in given.programs for name, words in CASES.items()
             if re.search(given.chosen, name) and not (p.startswith("mpich") and "pnetcdf" in name)]
    return cases if given.all or given.fault else dice.sample(cases, min(given.cases, len(cases)))


def chosen_faults(given, dice, faults):
    """[(place in the order, fault)] of those of a case that are tried."""
    if given.fault:
        return [(0, Fault(f[0], int(f[1]), f[2], int(f[3]), f[4])) for f in given.fault]
    if given.all:
        return in_order(faults, given.most)
    return [(0, fault) for fault in dice.sample(faults, min(given.tries, len(faults)))]


class Workers:
    """Several runs at once, each in a directory of its own."""

    def __init__(self, given):
        self.end = time.monotonic() + given.seconds
        self.pool = concurrent.futures.ThreadPoolExecutor(given.jobs)
        self.free = queue.SimpleQueue()
        for number in range(given.jobs):
            (given.directory / str(number)).mkdir(parents=True, exist_ok=True)
            self.free.put(given.directory / str(number))

    def begin(self, function, *arguments):
        def work():
            if time.monotonic() > self.end:
                return None
            directory = self.free.get()
            try:
                return function(directory, *arguments)
            finally:
                self.free.put(directory)
        return self.pool.submit(work)


def main():
    given = parse()
    dice = random.Random(given.day)
    workers = Workers(given)
    cases = chosen_cases(given, dice)
    there, tried, held = ({case: 0 for case in cases} for _ in range(3))
    chosen = []
    for case, counting in [(case, workers.begin(faults_of, case)) for case in cases]:
        faults, said = counting.result() or ([], "there was no time for it")
        faults = [f for f in faults if re.match(given.calls, f.call)]
        there[case] = len(faults)
        if said:
            print(f"{case.name}, {case.mpi}: a run without faults does not pass: {said[-1500:]}")
            tried[case] = 1
            continue
        chosen += [(order, case, fault) for order, fault in chosen_faults(given, dice, faults)]
    # sorted: a sweep that comes to its end early has tried as much of each case
    attempts = {workers.begin(attempt, case, fault): (case, fault) for _, case, fault in sorted(chosen, key=lambda c: c[0])}
    for done in concurrent.futures.as_completed(attempts):
        if done.result() is None:
            continue
        (case, fault), (run, wrong) = attempts[done], done.result()
        tried[case], held[case] = tried[case] + 1, held[case] + (not wrong)
        if wrong or given.fault:
            tell(case, fault, run, wrong or ["held"])
    for case in cases:
        print(f"{case.name}, {case.mpi}: tried {tried[case]} of {there[case]}, {held[case]} held")
    tried, held = sum(tried.values()), sum(held.values())
    print(f"tried {tried} of {sum(there.values())}, {held} held (day {given.day})")
    return 0 if tried == held > 0 else 1


if __name__ == "__main__":
    BUILD = pathlib.Path(os.environ["PARIO_BUILD"])
    INJECTOR, READ_JOURNAL = BUILD / "test/fault/libinject.so", BUILD / "test/fault/readjournal"
    sys.exit(main())
