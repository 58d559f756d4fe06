"""pario under Slurm: started by srun and by a batch script, cancelled, out of time, gone on with in the next job."""

import datetime
import os
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

    def __init__(self, cluster, flavour, place, *words, limit="5", output=None, launcher=True, tasks=TASKS):
        self.cluster, self.output = cluster, output or cluster.fresh()
        start = ["srun", f"--mpi={MPI[flavour]}"] if launcher else []
        line = shlex.join([*start, str(cluster.programs[flavour]), *map(str, words)])
        script = self.output.with_suffix(f".{time.monotonic_ns()}.sh")
        script.write_text(f"#!/bin/bash\nexport OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=/tmp\ncd {place}\n"
                          f"export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_oob_tcp_if_include=eth0\n{line}\n")
        self.log = script.with_suffix(".log")
        self.run = Run(cluster, [*on_first(cluster), "sbatch", "--wait", *tasks, "-t", limit, "-o", str(self.log),
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


def idle_node(cluster, flavour, place):
    """Tasks that fill the first two nodes of three: the run says that one is idle, and one that uses all says nothing."""
    for tasks, nodes in ((["-N3", "-n8", "--ntasks-per-node=4"], 2), (TASKS, 3)):
        output = cluster.fresh()
        run = Batch(cluster, flavour, place, "run", "transfer", *SMALL.split(), "--repetitions", 1, "--dir", place, "--output", output,
                    output=output, launcher=False, tasks=tasks).wait()
        told = [line["text"] for line in run.journal if line["kind"] == "note" and "are idle" in line["text"]]
        if wrong := run.complaint():
            return wrong
        used = run.begin["machine"]["mpi"]["nodes"]
        if used != nodes or bool(told) != (nodes < 3) or (told and "has 3 nodes, and the clients run on 2" not in told[0]):
            return f"with {' '.join(tasks)} the journal says {told or 'nothing'}, {used} nodes"
    return None


def submit(cluster, script, *options):
    """Submits, waits, and returns what Slurm said of it."""
    return cluster.on("n1", "env", "OMPI_MCA_btl_tcp_if_include=eth0", "OMPI_MCA_oob_tcp_if_include=eth0", "sbatch", "--wait", "-o",
                      script.with_suffix(".%a.log"), *options, script, limit=240)


def array(cluster, flavour, place):
    """Two jobs of an array at the same time in one directory: each journal has its number, and neither takes the other for a run that
    was killed."""
    output = cluster.fresh()
    script = output.with_suffix(".sh")
    words = shlex.join(["srun", f"--mpi={MPI[flavour]}", str(cluster.programs[flavour]), "run", "transfer", *SMALL.split(), "--api", "null",
                        "--delay", "100000", "--repetitions", "20", "--dir", str(place)])
    script.write_text(f"#!/bin/bash\n{words} --output {output}.$SLURM_ARRAY_TASK_ID\n")
    said = submit(cluster, script, "-N2", "-n2", "--array=0-1", "-t", "5").stdout
    times = []
    for task in (0, 1):
        journal = lines_of(output.with_name(f"{output.name}.{task}") / "journal.jsonl")
        if not journal or journal[-1]["kind"] != "end":
            return short(f"task {task} has no whole journal: {said}")
        job = journal[0]["machine"]["job"]
        if job.get("slurm_array_task_id") != str(task) or not job.get("slurm_array_job_id"):
            return f"the journal's job is {job}"
        told = [line["text"] for line in journal if line["kind"] == "note" and "workspace" in line["text"]]
        if told:
            return f"task {task}: {told[0]}"
        start = datetime.datetime.fromisoformat(journal[0]["time"].replace("Z", "+00:00")).timestamp()
        times.append((start, start + journal[-1]["seconds"]))
    together = max(start for start, _ in times) < min(end for _, end in times)
    return left_behind(cluster, place) or (None if together else f"the two did not run at the same time: {times}")


def printed(cluster, flavour, place):
    """The script of --print_sbatch: with --clients it asks for tasks, without for a node, never for the cores of the submitting host."""
    for clients, options in ((4, ["--clients", "4"]), (os.cpu_count(), [])):
        output = cluster.fresh()
        script = output.with_suffix(".sh")
        words = ["run", "transfer", *SMALL.split(), "--repetitions", "1", "--dir", place, "--output", output, *options]
        script.write_text(cluster.on("n1", cluster.programs[flavour], *words, "--print_sbatch").stdout)
        if ("--ntasks" in script.read_text().replace("--ntasks instead", "").replace("--ntasks-per-node", "")) != bool(options):
            return f"with {' '.join(options) or 'no count'} the script is {short(script.read_text())}"
        said = submit(cluster, script).stdout
        journal = lines_of(output / "journal.jsonl")
        if not journal or journal[-1]["kind"] != "end" or journal[-1]["exit_code"]:
            log = script.with_suffix(".4294967294.log")
            return short(f"the job made no whole journal: {said} {log.read_text() if log.exists() else ''}")
        found = journal[0]["machine"]["mpi"]["clients"]
        if found != clients:
            return f"{found} clients ran, not {clients}: {short(script.read_text())}"
    return left_behind(cluster, place)


JOBS = {"srun": srun, "srun without PMI is refused": without_mpi, "sbatch, srun in the script": sbatch,
        "sbatch, pario alone in the script": plain, "scancel, then resume": cancelled, "time limit, then resume": out_of_time,
        "idle node": idle_node, "job array, side by side": array, "--print_sbatch": printed, "doctor in a job": doctor}
