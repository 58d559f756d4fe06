#!/usr/bin/env python3
"""dataloader.py PARIO DIRECTORY [--torch|--threads]: PyTorch's loader and pario's own training on the same files, call by call.

pario makes a data set of files with one sample each and keeps it. Both then read it under `pario trace`, with the same batch,
loaders and epochs: PyTorch's DataLoader with so many workers, and `pario run training --from`. Compared are the sizes of the reads
of each file, how often each sample is read, how far the order is from that of the files, and how many files are open at a time. With --threads
a pool of Python's own threads stands in for PyTorch, where that is not installed. Exit code 1 where they are not alike.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

LIMIT_S = 240
SEED = "7"


def read_sample(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return len(os.read(fd, os.fstat(fd).st_size))
    finally:
        os.close(fd)


def epochs_of_torch(files, batch, workers, epochs, step_s):
    import torch.utils.data

    class Files(torch.utils.data.Dataset):
        def __len__(self):
            return len(files)

        def __getitem__(self, i):
            return read_sample(files[i])

    loader = torch.utils.data.DataLoader(Files(), batch_size=batch, shuffle=True, num_workers=workers, prefetch_factor=2)
    for _ in range(epochs):
        for _ in loader:
            time.sleep(step_s)


def epochs_of_threads(files, batch, workers, epochs, step_s):
    for _ in range(epochs):
        order = random.sample(files, len(files))
        batches = [order[i:i + batch] for i in range(0, len(order), batch)]
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for _ in pool.map(lambda b: [read_sample(f) for f in b], batches):
                time.sleep(step_s)


def load(args):
    files = sorted(str(f) for f in pathlib.Path(args.directory).iterdir())
    epochs = epochs_of_torch if args.torch else epochs_of_threads
    epochs(files, args.batch, args.workers, args.epochs, args.step)


def quiet(words):
    done = subprocess.run([str(w) for w in words], timeout=LIMIT_S, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def calls_of(pario, trace, place):
    """(operation, file, start, end, bytes) of what was done to the data set."""
    table = f"{trace}.csv"
    quiet([pario, "profile", trace, "--csv", table])
    with open(table, encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if row["layer"] == "posix" and row["file"].startswith(str(place) + "/"):
                start = int(row["start_ns"])
                yield row["operation"], row["file"], start, start + int(row["duration_ns"] or 0), int(row["result"] or 0)


def summary(calls, epochs):
    """What is compared; the order is the mean distance between neighbours over what a random order has."""
    reads = sorted((c for c in calls if c[0] in ("read", "pread", "pread64") and c[4] > 0), key=lambda c: c[2])
    if not reads:
        sys.exit("the trace has no read of the data set")
    names = {f: i for i, f in enumerate(sorted({c[1] for c in reads}))}
    sizes = collections.defaultdict(set)
    for c in reads:
        sizes[c[1]].add(c[4])
    order = [names[c[1]] for c in reads]
    steps = [abs(a - b) for a, b in zip(order, order[1:])]
    # Held open: from the open to the next close of the same file in any thread.
    edges, opened = [], collections.defaultdict(list)
    for op, file, start, end, _ in sorted(calls, key=lambda c: c[2]):
        if op in ("open", "openat"):
            opened[file].append(start)
        elif op == "close" and opened[file]:
            edges += [(opened[file].pop(0), 1), (end, -1)]
    now = most = 0
    for _, change in sorted(edges):
        now += change
        most = max(most, now)
    return {
        "files": len(names),
        "reads": len(reads),
        "reads of a sample and epoch": len(reads) / len(names) / epochs,
        "bytes": sum(c[4] for c in reads),
        "sizes": {os.path.basename(f): sorted(s) for f, s in sizes.items()},
        "order (1 = random)": sum(steps) / len(steps) / (len(names) / 3),
        "most open at a time": most,
    }


def compare(args):
    pario, place = os.path.abspath(args.pario), pathlib.Path(args.directory).resolve()
    place.mkdir(parents=True, exist_ok=True)
    shape = ["--files", args.files, "--samples_per_file", 1, "--format", "npz", "--sample_size", args.size, "--sample_deviation",
             args.size / 4, "--batch", args.batch, "--read_threads", args.workers, "--computation_time", args.step, "--seed", SEED,
             "--epochs", args.epochs, "--prefetch", 2, "--repetitions", 1, "--np", 1, "--quiet"]
    data = place / "data"
    for old in (data, place / "made", place / "ours", place / "torch.trace", place / "pario.trace"):
        shutil.rmtree(old, ignore_errors=True)
        old.unlink(missing_ok=True) if not old.is_dir() else None
    data.mkdir()
    quiet([pario, "run", "training", "--dir", data, "--output", place / "made", "--keep_files", 1, *shape])
    (files,) = data.glob("*/training")
    quiet([pario, "trace", "-o", place / "torch.trace", "--", sys.executable, __file__, "--load", "--torch" if args.torch else "--threads",
           "--batch", args.batch, "--workers", args.workers, "--epochs", args.epochs, "--step", args.step, pario, files])
    quiet([pario, "trace", "-o", place / "pario.trace", "--", pario, "run", "training", "--dir", data, "--output", place / "ours", "--from",
           files, *shape])
    theirs = summary(list(calls_of(pario, place / "torch.trace", files)), args.epochs)
    ours = summary(list(calls_of(pario, place / "pario.trace", files)), args.epochs)
    alike = True
    print(f"{'':28} {'PyTorch' if args.torch else 'threads':>14} {'pario':>14}")
    for what in theirs:
        a, b = theirs[what], ours[what]
        if what == "sizes":
            a, b, good = "of every file", "the same" if theirs[what] == ours[what] else "OTHERS", theirs[what] == ours[what]
        elif what.startswith("order"):
            good = abs(a - b) < 0.25
        elif what.startswith("most open"):
            good = max(a, b) <= args.workers
        else:
            good = a == b
        alike = alike and good
        text = [f"{v:.3g}" if isinstance(v, float) else str(v) for v in (a, b)]
        print(f"{what:28} {text[0]:>14} {text[1]:>14}{'' if good else '  <- not alike'}")
    print(json.dumps({k: v for k, v in ours.items() if k != "sizes"}))
    shutil.rmtree(data)
    return 0 if alike else 1


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("pario")
    p.add_argument("directory")
    p.add_argument("--torch", action="store_true")
    p.add_argument("--threads", dest="torch", action="store_false")
    p.add_argument("--load", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--files", type=int, default=60)
    p.add_argument("--size", type=int, default=400000)
    p.add_argument("--batch", type=int, default=5)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--step", type=float, default=0.02)
    args = p.parse_args()
    if args.load:
        return load(args)
    return compare(args)


if __name__ == "__main__":
    sys.exit(main())
