#!/usr/bin/env python3
"""programs.py PARIO [NAME...] [--mpich PARIO] [--into DOCUMENT]: real programs under `pario trace`, beside themselves untraced.

Each runs twice without the tracer, once with it, and once under strace. The traced run must end with the same exit code,
output and files; what two untraced runs differ in (times, process ids) is compared with its numbers blotted out, or
by name only. Bytes and calls that read and wrote files in the program's own directory are counted from the trace and
from strace, and what the profile says is judged by bench/judge.py. Programs that are not installed are named. Rows go into the table
between the markers of DOCUMENT. Programs of MPICH need a pario that is built for it.
"""
import argparse
import collections
import csv
import datetime
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import judge  # noqa: E402

LIMIT_S = 300
MARKERS = ("<!-- real programs: begin -->", "<!-- real programs: end -->")
OPENMPI = "mpirun.openmpi --oversubscribe -n 2 "
MPICH = "mpiexec.mpich -n 2 "

PSEUDO = """ &input
   title='Si', zed=14.0, rel=1, iswitch=3, dft='PZ', config='[Ne] 3s2 3p2 3d-2'
 /
 &inputp
   pseudotype=1, tm=.true., lloc=2, file_pseudopw='Si.UPF'
 /
3
3S  1  0  2.00  0.00  2.20  2.20
3P  2  1  2.00  0.00  2.20  2.20
3D  3  2 -2.00  0.15  2.20  2.20
"""
SILICON = """ &control
   calculation='scf', prefix='si', pseudo_dir='./', outdir='./o'
 /
 &system
   ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=12.0
 /
 &electrons
 /
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
"""
MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
dump 1 all atom 50 dump.melt
restart 100 r.*
thermo 50
run 250
"""
WATER = """start water
geometry noautosym
 O 0 0 0
 H 0 0.75 0.58
 H 0 -0.75 0.58
end
basis
 * library 6-31g
end
task scf energy
"""
MPI4PY = """from mpi4py import MPI
import sys
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
file = MPI.File.Open(world, "blocks", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at_all(100000 * rank, bytes([65 + rank]) * 100000)
world.Barrier()
back = bytearray(100000)
file.Read_at_all(100000 * ((rank + 1) % size), back)
file.Close()
parts = world.allgather((rank, back[0]))
sys.stdout.write(f"{parts}\\n")
"""
H5PY = """from mpi4py import MPI
import h5py, numpy, sys
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
with h5py.File("shared.h5", "w", driver="mpio", comm=world) as file:
    data = file.create_dataset("rows", (size, 20000), dtype="f8", track_times=False)
    data[rank] = numpy.arange(20000) * rank
with h5py.File("shared.h5", "r", driver="mpio", comm=world) as file:
    sys.stdout.write(f"{rank} {float(file['rows'][(rank + 1) % size].sum())}\\n")
"""
DATABASE = """set -e
export PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
initdb -D base -A trust >/dev/null
pg_ctl -D base -w -l log -o "-k $PWD -c listen_addresses=''" start >/dev/null
pgbench -h "$PWD" -i -q postgres 2>/dev/null
pgbench -h "$PWD" -n -c 2 -t 100 postgres | grep processed
pg_ctl -D base -w -m fast stop >/dev/null
"""


JSON = """import json
for i in range(500):
    with open(f"{i}.json", "w") as file:
        json.dump(list(range(i)), file)
print(sum(len(json.load(open(f"{i}.json"))) for i in range(500)))
"""
OCTAVE = """x = (1:90000)'; save('-binary', 'x.bin', 'x'); load x.bin;
f = fopen('y.txt', 'w'); fprintf(f, '%d\\n', x(1:2000)); fclose(f);
printf('%d\\n', sum(load('y.txt'))); system('ls x.bin');
"""
R = """x <- data.frame(a = 1:5000, b = sqrt(1:5000))
write.csv(x, 'x.csv')
saveRDS(read.csv('x.csv'), 'x.rds')
cat(sum(readRDS('x.rds')$b), system('wc -l <x.csv', intern = TRUE), '\\n')
"""
JAVA = """import java.nio.file.*;
public class A {
    public static void main(String[] arguments) throws Exception {
        long sum = 0;
        for (int i = 0; i < 500; i++)
            Files.write(Path.of("f" + i), new byte[i * 10]);
        for (int i = 0; i < 500; i++)
            sum += Files.readAllBytes(Path.of("f" + i)).length;
        System.out.println(sum);
    }
}
"""


def tree(place):
    """Files of several sizes, the same in every run."""
    for i in range(60):
        path = place / f"tree/{i % 6}/file{i}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(hashlib.sha256(str(i).encode()).digest() * (i * i * 3))
        os.utime(path, (1600000000 + i, 1600000000 + i))


def text(name, words):
    return lambda place: (place / name).write_text(words)


def silicon(place):
    text("si.in", SILICON)(place)
    subprocess.run(["ld1.x"], input=PSEUDO, text=True, cwd=place, check=True, stdout=subprocess.DEVNULL)


def repository(place):
    tree(place)
    subprocess.run("RESTIC_PASSWORD=x restic -q init -r repo", shell=True, cwd=place, check=True)


def database(place):
    text("run.sh", DATABASE)(place)
    shutil.chown(place, "postgres")


def netcdf(place):
    subprocess.run(
        "ncgen -o in.nc", shell=True, cwd=place, check=True, text=True,
        input="netcdf in { dimensions: t = UNLIMITED; x = 5; variables: float v(t, x); data: v = "
        + ", ".join(map(str, range(5000))) + "; }")


def heat(compiler):
    source = pathlib.Path(__file__).with_name("heat.f90")
    return lambda place: subprocess.run([compiler, "-O2", "-g", "-o", "heat", str(source)], cwd=place, check=True)


PROGRAMS = {
    "Fortran application": ("gfortran", "mpif90.openmpi", heat("mpif90.openmpi"), OPENMPI + "./heat"),
    "Fortran application, MPICH": ("gfortran", "mpif90.mpich", heat("mpif90.mpich"), MPICH + "./heat"),
    "Quantum ESPRESSO": ("quantum-espresso", "pw.x", silicon, OPENMPI + "pw.x -in si.in"),
    "LAMMPS": ("lammps", "lmp", text("in.melt", MELT), OPENMPI + "lmp -in in.melt"),
    "NWChem": ("nwchem-openmpi", "nwchem.openmpi", text("water.nw", WATER), OPENMPI + "nwchem.openmpi water.nw"),
    "NetPIPE, MPICH": ("netpipe-mpich2", "NPmpich2", lambda place: None, MPICH + "NPmpich2 -u 10000 -n 5"),
    "mpi4py": ("python3-mpi4py", "mpirun.openmpi", text("a.py", MPI4PY), OPENMPI + "/usr/bin/python3 a.py"),
    "h5py, parallel": ("python3-h5py-mpi", "mpirun.openmpi", text("h.py", H5PY), OPENMPI + "/usr/bin/python3 h.py"),
    "nco": ("nco", "ncks", netcdf, "ncks -h -O -d x,1,3 in.nc part.nc && ncra -h -O in.nc mean.nc && ncks -m in.nc"),
    "rsync": ("rsync", "rsync", tree, "rsync -a --out-format=%n tree/ copy && rsync -ac --out-format=%n tree/ copy"),
    "PostgreSQL, pgbench": ("postgresql", "pgbench", database, "runuser -u postgres -- sh run.sh"),
    "restic (Go)": ("restic", "restic", repository,
                    "RESTIC_PASSWORD=x restic -q --no-cache -r repo backup tree && "
                    "RESTIC_PASSWORD=x restic -q --no-cache -r repo check"),
    "ripgrep (Rust)": ("ripgrep", "rg", tree, "rg -c --no-mmap --sort path -a '[a-f]' tree"),
    "SQLite": ("sqlite3", "sqlite3", text("in.sql", "create table t(a);\n" + "insert into t values(1);\n" * 200
                                         + "select sum(a) from t;\n"), "sqlite3 base.db <in.sql"),
    "tar and xz": ("tar", "xz", tree, "tar cf tree.tar tree && xz -k -T2 tree.tar && tar xf tree.tar.xz --one-top-level=back"),
    "git": ("git", "git", tree, "git init -q . && git add tree && git -c user.name=a -c user.email=a@b commit -qm x && "
                                "git clone -q . copy && git -C copy ls-files | wc -l"),
    "Python": ("python3", "python3", text("j.py", JSON), "/usr/bin/python3 j.py"),
    "Octave": ("octave", "octave-cli", text("o.m", OCTAVE), "octave-cli --norc o.m"),
    "R": ("r-base-core", "Rscript", text("r.R", R), "Rscript r.R"),
    "Java": ("openjdk-17-jdk-headless", "javac", text("A.java", JAVA), "java A.java"),
    "Chromium": ("chromium-headless-shell", "chromium-headless-shell", text("p.html", "<body>x"),
                 "chromium-headless-shell --no-sandbox --user-data-dir=$PWD/profile --dump-dom file://$PWD/p.html"),
}

READS = {"read", "pread64", "readv", "preadv", "preadv2"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
TRACED_READS = {"read", "pread", "readv", "preadv", "preadv2", "fread", "fgets", "gets", "getdelim", "getw", "fgetc", "uflow", "underflow",
                "scanf"}
TRACED_WRITES = {"write", "pwrite", "writev", "pwritev", "pwritev2", "fwrite", "fputs", "puts", "putw", "printf", "dprintf", "fputc",
                 "overflow"}


class Run:
    """A program once, in a directory of the same name as every other time."""

    def __init__(self, place, setup, command, prefix):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        setup(place)
        began = time.monotonic()
        with subprocess.Popen(prefix + ["sh", "-c", command], cwd=place, stdin=subprocess.DEVNULL, start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
            try:
                output, _ = program.communicate(timeout=LIMIT_S)
                self.code = program.returncode
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
                output, _ = program.communicate()
                self.code = f"none within {LIMIT_S} s"
        self.seconds = time.monotonic() - began
        self.output = sorted(output.decode(errors="replace").splitlines())
        self.files = {str(p.relative_to(place)): hashlib.sha256(p.read_bytes()).hexdigest()
                      for p in sorted(place.rglob("*")) if p.is_file()}


def blotted(lines):
    return sorted(re.sub(r"[0-9.]+|[ *+-]+", "#", line) for line in lines)


def differences(first, second, traced):
    """What the tracer changed, in words."""
    found = []
    if traced.code != first.code:
        found.append(f"exit {first.code} → {traced.code}")
    if first.output == second.output:
        if traced.output != first.output:
            found.append("output")
    elif blotted(first.output) == blotted(second.output) != blotted(traced.output):
        found.append("output")
    steady = {n for n in first.files if first.files[n] == second.files.get(n)}
    for name in sorted(steady):
        if traced.files.get(name) != first.files[name]:
            found.append(f"file {name}")
    if set(first.files) == set(second.files) != set(traced.files):
        found.append("names of files")
    return found


def of_strace(log, place):
    """Calls and bytes by strace, of files in the directory."""
    counts = collections.Counter()
    begun = {}
    for line in open(log, errors="replace"):
        pid, _, rest = line.partition(" ")
        call = re.match(r"\s*(\w+)\(\d+<([^>]*)>", rest)
        if call and "<unfinished" in rest:
            begun[pid] = call.groups()
            continue
        again = re.match(r"\s*<\.\.\. (\w+) resumed>", rest)
        name, path = begun.pop(pid, (None, "")) if again else call.groups() if call else (None, "")
        result = re.search(r"\) += (-?\d+)(?: |$)", rest)
        if not name or not result or int(result[1]) < 0 or not path.startswith(f"{place}/"):
            continue
        kind = "read" if name in READS else "written" if name in WRITES else None
        if kind:
            counts[kind] += int(result[1])
            counts[kind + " calls"] += 1
    return counts


def of_trace(pario, trace, place):
    """The same by the trace: what the C library was asked for, wherever it was asked from."""
    table = trace.with_suffix(".csv")
    subprocess.run([pario, "profile", str(trace), "--csv", str(table)], stdout=subprocess.DEVNULL, check=True)
    counts = collections.Counter()
    for row in csv.DictReader(open(table, errors="replace")):
        if row["layer"] not in ("posix", "stdio") or not row["file"].startswith(f"{place}/"):
            continue
        kind = ("read" if row["operation"] in TRACED_READS else
                "written" if row["operation"] in TRACED_WRITES else None)
        if kind and row["result"].isdigit() and not int(row["errno"] or 0):
            counts[kind] += int(row["result"])
            counts[kind + " calls"] += 1
            counts["stdio"] += row["layer"] == "stdio"
    return counts


def version_of(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, text=True, check=False,
                          stderr=subprocess.DEVNULL)
    return done.stdout.strip() or "?"


def pair(trace, strace, what):
    calls, others = trace[what + " calls"], strace[what + " calls"]
    return (f"{trace[what]} B" if trace[what] == strace[what] else f"{trace[what]} ≠ {strace[what]} B") + \
        (f", {calls}" if calls == others else f", {calls} / {others}")


def row_of(pario, name, scratch):
    package, _, setup, command = PROGRAMS[name]
    place = scratch / "run"
    trace, log = scratch / "x.trace", scratch / "strace.log"
    first = Run(place, setup, command, [])
    time.sleep(1.1)  # what holds the second it was made in differs between these two already
    second = Run(place, setup, command, [])
    traced = Run(place, setup, command, [pario, "trace", "--quiet", "-o", str(trace), "--"])
    judged = judge.judge(pario, str(trace))
    Run(place, setup, command, ["strace", "-f", "-qq", "-y", "-s", "0", "-o", str(log), "-e",
                                "trace=" + ",".join(sorted(READS | WRITES))])
    changed = differences(first, second, traced)
    counted, by_strace = of_trace(pario, trace, place), of_strace(log, place)
    for path in (trace, log):
        path.unlink()
    words = [f"{name} {version_of(package)}", ", ".join(changed) or f"the same (exit {traced.code})",
             pair(counted, by_strace, "read"), pair(counted, by_strace, "written"),
             "yes" if counted["stdio"] else "", f"{min(first.seconds, second.seconds):.2f} → {traced.seconds:.2f} s",
             str(datetime.date.today()), judged]
    return words, changed


HEAD = ["| program | output, exit code, files | read (bytes, calls) | written (bytes, calls) | stdio | wall time, plain → traced "
        "| measured | findings judged |", "|" + "---|" * 8]


def put(document, name, row):
    """The row of a program in the table."""
    before, _, rest = document.read_text().partition(MARKERS[0])
    inside, _, after = rest.partition(MARKERS[1])
    old = {line.split("|")[1].strip().rsplit(" ", 1)[0]: line for line in inside.splitlines()[3:] if line.startswith("| ")}
    old[name] = "| " + " | ".join(row) + " |"
    lines = ["", ""] + HEAD + [old[known] for known in PROGRAMS if known in old] + ["", ""]
    document.write_text(before + MARKERS[0] + "\n".join(lines) + MARKERS[1] + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pario")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mpich")
    parser.add_argument("--into", type=pathlib.Path)
    given = parser.parse_intermixed_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", LC_ALL="C.UTF-8")
    wrong = []
    chosen = [name for name in PROGRAMS
              if not given.names or any(name.lower().startswith(word.lower()) for word in given.names)]
    for name in chosen:
        if not shutil.which(PROGRAMS[name][1]):
            print(f"{name}: not installed", file=sys.stderr)
            continue
        pario = given.mpich if PROGRAMS[name][3].startswith(MPICH) else given.pario
        if not pario:
            print(f"{name}: no pario for MPICH was given", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            os.chmod(scratch, 0o755)
            row, changed = row_of(os.path.abspath(pario), name, pathlib.Path(scratch))
        wrong += [name] * bool(changed)
        print(" | ".join(row), flush=True)
        if given.into:
            put(given.into, name, row)
    if wrong:
        sys.exit("programs.py: changed by the tracer: " + ", ".join(wrong))


main()
