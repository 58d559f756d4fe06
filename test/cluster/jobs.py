"""pario under Slurm: started by srun and by a batch script, cancelled, out of time, gone on with in the next job."""

import shlex
import time

from matrix import SMALL, left_behind
from nodes import HERE, Run, lines_of, short

MPI = {"openmpi": "pmix", "mpich": "pmi2"}
TASKS = ["-N3", "-n4"]


def srun(cluster, flavour, place):
    output = cluster.fresh()
    run = Run(cluster, [*on_first(cluster), "srun", *TASKS, f"--mpi={MPI[flavour]}", cluster.programs[flavour], "run",
                        "transfer", *SMALL.split(), "--repetitions", "1", "--deadline", "90", "--dir", str(place), "--output",
                        str(output)], output).wait()
    return run.complaint(3, 4) or job_in(run) or left_behind(cluster, place)


def on_first(cluster):
    return [str(HERE / "cluster"), "-c", cluster.name, "run", "n1"]


def job_in(run):
    job = run.begin["machine"].get("job") or {}
    if not job.get("slurm_job_id") or job.get("slurm_partition") != "nodes" or job.get("slurm_nodes") != "n[1-3]":
        return f"the journal's job is {job}"
    return None


def without_mpi(cluster, flavour, place):
    """srun's default starts tasks that do not know each other: refused at once, with the option that helps."""
    told = cluster.on("n1", "srun", *TASKS, cluster.programs[flavour], "run", "transfer", "--dir", place, limit=60)
    if told.returncode != 2 or f"--mpi={MPI[flavour]}" not in told.stdout:
        return short(f"exit {told.returncode}: {told.stdout}")
    return None


class Batch:
    """A job made of one script, and the run in it."""

    def __init__(self, cluster, flavour, place, *words, limit="5", output=None, launcher=True):
        self.cluster, self.output = cluster, output or cluster.fresh()
        start = ["srun", f"--mpi={MPI[flavour]}"] if launcher else []
        line = shlex.join([*start, str(cluster.programs[flavour]), *map(str, words)])
        script = self.output.with_suffix(f".{time.monotonic_ns()}.sh")
        script.write_text(f"#!/bin/bash\nexport OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=/tmp\ncd {place}\n"
                          f"export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0\n{line}\n")
        self.log = script.with_suffix(".log")
        self.run = Run(cluster, [*on_first(cluster), "sbatch", "--wait", *TASKS, "-t", limit, "-o", str(self.log),
                                 str(script)], self.output)

    def wait(self, limit=240):
        self.run.wait(limit)
        self.run.log = self.log if self.log.exists() else self.run.log
        return self.run


def sbatch(cluster, flavour, place):
    return in_script(cluster, flavour, place, launcher=True)


def plain(cluster, flavour, place):
    """pario without a launcher in a job's script uses the whole allocation."""
    return in_script(cluster, flavour, place, launcher=False)


def in_script(cluster, flavour, place, launcher):
    output = cluster.fresh()
    run = Batch(cluster, flavour, place, "run", "transfer", *SMALL.split(), "--repetitions", 1, "--dir", place, "--output", output,
                output=output, launcher=launcher).wait()
    return run.complaint(3, 4) or job_in(run) or left_behind(cluster, place)


def ended_and_resumed(cluster, flavour, place, end):
    """A long run that end(job) ends: the journal has its end line, nothing is left, the next job goes on."""
    output = cluster.fresh()
    words = ["run", "transfer", *SMALL.split(), "--api", "null", "--delay", 200000, "--repetitions", 400, "--dir", place,
             "--output", output]
    job = Batch(cluster, flavour, place, *words, limit="1", output=output)
    if not job.run.until(lambda: len(job.run.results) >= 2, 60):
        return "the job brought no results: " + short(job.wait(1).text)
    end(cluster)
    run = job.wait(150)
    done = len(run.results)
    if run.end is None:
        return f"no end line after {run.seconds:.0f} s: {short(run.text)}"
    if wrong := left_behind(cluster, place) or next(iter(cluster.left()), None):
        return wrong
    again = Batch(cluster, flavour, place, "run", "transfer", "--resume", output, limit="1", output=output)
    grew = again.run.until(lambda: len(lines(again.run)) > done, 60)
    cluster.on("n1", "scancel", "--user=root")
    again.wait(60)
    return None if grew else "--resume measured nothing: " + short(again.run.text)


def lines(run):
    """Results of the run and of what went on with it."""
    found = list(run.results)
    for path in run.output.parent.glob(run.output.name + "*/journal.jsonl"):
        if path != run.journal_path:
            found += [line for line in lines_of(path) if line["kind"] == "result"]
    return found


def cancelled(cluster, flavour, place):
    return ended_and_resumed(cluster, flavour, place, lambda c: c.on("n1", "scancel", "--user=root"))


def out_of_time(cluster, flavour, place):
    return ended_and_resumed(cluster, flavour, place, lambda c: None)


def doctor(cluster, flavour, place):
    output = cluster.fresh()
    run = Batch(cluster, flavour, place, "doctor", place, output=output, launcher=False).wait()
    return None if run.status in (0, 1) and len(run.text) > 200 else short(f"exit {run.status}: {run.text}")


JOBS = {"srun": srun, "srun without PMI is refused": without_mpi, "sbatch, srun in the script": sbatch,
        "sbatch, pario alone in the script": plain, "scancel, then resume": cancelled, "time limit, then resume": out_of_time,
        "doctor in a job": doctor}
