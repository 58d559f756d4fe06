#!/usr/bin/env python3
"""Fails every nth call of a kind, in every test, with every backend, in every client: what becomes of the run?

each.py [--all [--most N]] [--calls REGEX] [--day DATE] [--cases N] [--tries N] [--fault WHERE RANK CALL NUMBER ERROR]... DIRECTORY CASES MPI=PROGRAM...

CASES is a regular expression that chooses from the table below. The file calls of a small run are counted, then it is made
again for each of them, with that one failing (test/fault/inject.c). Without --all a sample that the day decides is tried:
--cases of them, and --tries calls of each. With --all, of a call that is made more than MOST times so many are tried; --calls leaves
out the other kinds of call. --fault makes one attempt and shows what was said.

Every run must end by itself, not by its deadline, with exit code 3, and with a sentence that names error, client and node, in a
journal that is whole, and leave neither files nor processes, or say what stayed and how it goes. Calls whose failure loses
nothing may be passed over: HARMLESS says which. Where a library loses an error, the verification may find it (exit code 4).

Writes a sentence for each fault that something is wrong with, how many held of each case, and last "tried N of M, N held", where M is how many calls there
are in the cases that were looked at. Exit status 1 when any did not hold.
"""

import argparse
import datetime
import errno
import os
import pathlib
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
    ("flock", "", "", "without a lock the manifest says who uses it"),
    ("f?stat", "", "", "what is not known is looked at again, or makes the result suspect"),
    ("(open|fstat|pread) ESTALE", "/visibility", "", "what is stale is not there yet, and is looked for again"),
    (".*", r"\.probe(\.shfp\.\d+\.\d+)?$", "", "shared file pointers that do not work are left out, and the value is not valid"),
    ("ftruncate", r"\.data\.[^/]*/|/peak/", "", "a large file is cut before it is removed"),
    (".* (ENOSPC|EDQUOT)", r"\.data\.[^/]*/", "", "b_eff_io ends where there is no space, and says that"),
    ("read", r"/cc\w+\.\w+$", "", "a compiler, which reads again what it made"),
    ("open", "/overlap/", "", "where pages in the cache cannot be counted, the result says so"),
    ("close", "/manifest$", "", "what it says was made durable before"),
    ("open", r"/\.$", "", "what is not listed keeps the directory from being removed, and that is told"),
    ("close", r"\.data\.|/madbench2|/overlap", "openmpi", "OMPIO does not look at its own close; pario closes a descriptor of its own"),
    ("stat|open|rename|close|f.*sync|write|unlink", r"report\.html", "", "the page can be made from the journal"),
)


def error_for(call, number):
    names = ERRORS.get(call, ("EIO", "ESTALE"))
    return names[number % len(names)]


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
        while time.monotonic() < end:
            found = subprocess.run(["pgrep", "-f", "--", f"--output {self.out}"], capture_output=True, text=True)
            if not found.stdout:
                return []
            time.sleep(0.1)
        for number in found.stdout.split():
            os.kill(int(number), signal.SIGKILL)
        return found.stdout.split()

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
    rank, call, _, error = fault
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


def place(directory, where):
    return f"{directory}/data/pario-" if where == "data" else f"{directory}/out"


def faults_of(directory, program, words):
    """[(path, rank, call, number, error)] of a case, or what a run without faults said."""
    found = []
    for path in (place(directory, "data"), place(directory, "out")):
        totals, run = counted(directory, program, words, path)
        if totals is None:
            return None, run.text
        for rank, call, total in totals:
            found += [(path, rank, call, n, error_for(call, n)) for n in range(1, total + 1)]
    return found, ""


def spread(faults, number):
    """Of the calls of a kind in one client so many: the first and the last of them, and some between."""
    kinds = {}
    for fault in faults:
        kinds.setdefault(fault[:3], []).append(fault)
    for kind in kinds.values():
        last = len(kind) - 1
        for i in sorted({round(k * last / (number - 1)) for k in range(number)}):
            yield kind[i]


def attempt(place, mpi, program, words, fault):
    """(run, what is wrong); None where that call did not come this time."""
    path, rank, call, number, error = fault
    log = place / "spoiled"
    log.unlink(missing_ok=True)
    run = Run(place, program, words,
              {"INJECT": f"fail={call}@{number}:{error},path={path},rank={rank}", "INJECT_LOG": str(log)})
    if not log.exists():
        return None
    run.spoiled = log.read_text().splitlines()[0].split(maxsplit=3)[3]
    return run, judge(mpi, run, fault[1:], run.spoiled)


def tell(name, mpi, fault, run, wrong):
    path, rank, call, number, error = fault
    where = "out" if path.endswith("/out") else "data"
    print(f"{name}, {mpi}: {call} {number} of client {rank} on {run.spoiled} fails with {error}: {'; '.join(wrong)} "
          f"[{run.seconds:.0f} s; each.py --fault {where} {rank} {call} {number} {error}]")
    for line in run.text.splitlines():
        if line.startswith("pario: "):
            print("    " + line)
    sys.stdout.flush()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--most", type=int, default=40)
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
    """[(MPI, program, name, words)], in the order of the table, or of the day's dice."""
    cases = [(*p.split("=", 1), name, words) for p in given.programs for name, words in CASES.items()
             if re.search(given.chosen, name) and not (p.startswith("mpich") and "pnetcdf" in name)]
    return cases if given.all or given.fault else dice.sample(cases, min(given.cases, len(cases)))


def chosen_faults(given, dice, faults):
    """Those of a case that are tried."""
    if given.fault:
        return [(place(given.directory, f[0]), int(f[1]), f[2], int(f[3]), f[4]) for f in given.fault]
    if given.all:
        return list(spread(faults, given.most))
    return dice.sample(faults, min(given.tries, len(faults)))


def main():
    given = parse()
    given.directory.mkdir(exist_ok=True)
    dice = random.Random(given.day)
    there = tried = held = 0
    for mpi, program, name, words in chosen_cases(given, dice):
        faults, said = faults_of(given.directory, program, words)
        if faults is None:
            print(f"{name}, {mpi}: a run without faults does not pass: {said[-1500:]}")
            tried += 1
            continue
        faults = [f for f in faults if re.match(given.calls, f[2])]
        there, before = there + len(faults), (tried, held)
        for fault in chosen_faults(given, dice, faults):
            result = attempt(given.directory, mpi, program, words, fault)
            if result is None:
                continue
            run, wrong = result
            tried, held = tried + 1, held + (not wrong)
            if wrong or given.fault:
                tell(name, mpi, fault, run, wrong or ["held"])
        print(f"{name}, {mpi}: tried {tried - before[0]} of {len(faults)}, {held - before[1]} held", flush=True)
    print(f"tried {tried} of {there}, {held} held (day {given.day})")
    return 0 if tried == held > 0 else 1


if __name__ == "__main__":
    BUILD = pathlib.Path(os.environ["PARIO_BUILD"])
    INJECTOR, READ_JOURNAL = BUILD / "test/fault/libinject.so", BUILD / "test/fault/readjournal"
    sys.exit(main())
